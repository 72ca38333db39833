#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the tables in this folder from Debian's python3-sklearn. Run once; the results are committed."""
import csv, gzip, pathlib, sklearn.datasets

here = pathlib.Path(__file__).parent
source = pathlib.Path(sklearn.datasets.__file__).parent / 'data'


def idx(path, shape, values):
    """Unsigned bytes as IDX (http://yann.lecun.com/exdb/mnist), gzip without a time of its own."""
    header = bytes([0, 0, 8, len(shape)]) + b''.join(n.to_bytes(4, 'big') for n in shape)
    path.write_bytes(gzip.compress(header + bytes(values), 9, mtime=0))


rows = [[int(x) for x in row] for row in csv.reader(gzip.open(source / 'digits.csv.gz', 'rt'))]
idx(here / 'digits-images-idx3-ubyte.gz', (len(rows), 8, 8), [x for row in rows for x in row[:64]])
idx(here / 'digits-labels-idx1-ubyte.gz', (len(rows),), [row[64] for row in rows])

first, *flowers = csv.reader(open(source / 'iris.csv'))
lines = ['sepal length,sepal width,petal length,petal width,species']
lines += [','.join(row[:4] + [first[2 + int(row[4])]]) for row in flowers]
(here / 'iris.csv').write_text('\n'.join(lines) + '\n')
