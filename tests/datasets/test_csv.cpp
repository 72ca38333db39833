// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/datasets/data_test.h"

#include <QtTest>

using namespace megalith;
using namespace megalith::data;
using namespace megalith::data::test;

class TestCsv : public QObject
{
    Q_OBJECT

private slots:
    void readsWhatRfc4180Allows_data();
    void readsWhatRfc4180Allows();
    void theLastColumnIsTheTarget();
    void namedColumnsGoWhereTheProjectSays();
    void textLabelsAreSortedAndNumbered();
    void numberLabelsAreSortedAsNumbers();
    void severalTargetColumnsAreValues();
    void withoutTargetsAllColumnsAreInputs();
    void badTablesAreRefusedInOneSentence_data();
    void badTablesAreRefusedInOneSentence();
    void badColumnsAreRefusedInOneSentence_data();
    void badColumnsAreRefusedInOneSentence();
    void badFilesAreRefusedInOneSentence();
    void predictionReadsTheColumnsThatWereTrainedOn();

private:
    LoadedData loadText(std::string_view text, std::string_view keys, std::vector<InputSpec> inputs, bool classes) const
    {
        m_folder.write("t.csv", text);
        const Value data = parseJson(R"({"source": "csv", "path": "t.csv")" + std::string(keys) + "}");
        LoadContext context = contextFor(std::move(inputs), classes);
        context.projectFolder = m_folder.path();
        return load(data, context);
    }

    Folder m_folder;
};

void TestCsv::readsWhatRfc4180Allows_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("plain") << QByteArray("a,b,y\n1,2,3\n4,5.5,-6e1\n");
    QTest::newRow("no final newline") << QByteArray("a,b,y\n1,2,3\n4,5.5,-60");
    QTest::newRow("CRLF") << QByteArray("a,b,y\r\n1,2,3\r\n4,5.5,-60\r\n");
    QTest::newRow("CR alone") << QByteArray("a,b,y\r1,2,3\r4,5.5,-60\r");
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF"
                                                   "a,b,y\n1,2,3\n4,5.5,-60\n");
    QTest::newRow("semicolons") << QByteArray("a;b;y\n1;2;3\n4;5.5;-60\n");
    QTest::newRow("tabs") << QByteArray("a\tb\ty\n1\t2\t3\n4\t5.5\t-60\n");
    QTest::newRow("spaces around") << QByteArray("a , b, y\n 1 ,2\t,3 \n4, 5.5,-60\n");
    QTest::newRow("quotes") << QByteArray("\"a\",\"b\",\"y\"\n\"1\",2,\"3\"\n4,\"5.5\" ,-60\n");
    QTest::newRow("empty lines at the end") << QByteArray("a,b,y\n1,2,3\n4,5.5,-60\n\r\n  \n\n");
    QTest::newRow("plus signs") << QByteArray("a,b,y\n+1,2,3\n4,+5.5,-60\n");
}

void TestCsv::readsWhatRfc4180Allows()
{
    QFETCH(QByteArray, text);
    const LoadedData loaded = loadText(text.toStdString(), "", {{"x", {2}, DType::F32}}, false);
    QCOMPARE(values<float>(loaded.trainInputs.at(0)), (std::vector<float>{1, 2, 4, 5.5}));
    QCOMPARE(values<float>(loaded.trainTargets->values), (std::vector<float>{3, -60}));
    QVERIFY(loaded.trainTargets->values.sample == Shape{1});
    QVERIFY(loaded.inputColumns == (std::vector<std::string>{"a", "b"}));
    QVERIFY(loaded.targetColumns == std::vector<std::string>{"y"});
}

void TestCsv::theLastColumnIsTheTarget()
{
    m_folder.write("t.csv", "\"width, mm\",\"say \"\"hi\"\"\",\"two\nlines\"\n1,2,b\n3,4,a\n5,6,b\n");
    const SourceFacts facts = sourceFacts(parseJson(R"({"source": "csv", "path": "t.csv"})"), m_folder.path());
    QVERIFY(facts.inputColumns == (std::vector<std::string>{"width, mm", "say \"hi\""}));
    QVERIFY(facts.targetColumns == std::vector<std::string>{"two\nlines"});
    QCOMPARE(facts.count, 3);
    QCOMPARE(facts.classCount, 2);
    QVERIFY(facts.classNames == (std::vector<std::string>{"a", "b"}));
    QVERIFY(facts.targetSample == Shape{1});
    QVERIFY(facts.classSample.empty());
    QVERIFY(facts.inputs.at(0).sample == Shape{2});
}

void TestCsv::namedColumnsGoWhereTheProjectSays()
{
    const std::string_view text = "a,y,b,note,c\n1,10,2,hello,3\n4,20,5,,6\n";
    const LoadedData one =
        loadText(text, R"(, "inputs": ["b", "a"], "targets": ["y"])", {{"x", {2}, DType::F32}}, false);
    QCOMPARE(values<float>(one.trainInputs.at(0)), (std::vector<float>{2, 1, 5, 4}));
    QCOMPARE(values<float>(one.trainTargets->values), (std::vector<float>{10, 20}));
    QVERIFY(one.normalization.find("x")->columns == (std::vector<std::string>{"b", "a"}));

    const LoadedData two = loadText(text, R"(, "inputs": {"left": ["a"], "right": ["b", "c"]}, "targets": "y")",
                                    {{"right", {2}, DType::F32}, {"left", {1}, DType::I64}}, false);
    QCOMPARE(two.trainInputs.at(0).name, "right");
    QCOMPARE(values<float>(two.trainInputs.at(0)), (std::vector<float>{2, 3, 5, 6}));
    QCOMPARE(values<std::int64_t>(two.trainInputs.at(1)), (std::vector<std::int64_t>{1, 4}));
    QVERIFY(two.normalization.find("right")->columns == (std::vector<std::string>{"b", "c"}));
    QVERIFY(two.normalization.find("left")->columns == std::vector<std::string>{"a"});
}

void TestCsv::textLabelsAreSortedAndNumbered()
{
    const LoadedData loaded = loadText("x,kind\n1,pear\n2,apple\n3,7\n4,pear\n", "", {{"x", {1}, DType::F32}}, true);
    const Targets& targets = *loaded.trainTargets;
    QVERIFY(targets.classes);
    QCOMPARE(targets.classCount, 3);
    QVERIFY(targets.classNames == (std::vector<std::string>{"7", "apple", "pear"}));
    QCOMPARE(values<std::int64_t>(targets.values), (std::vector<std::int64_t>{2, 1, 0, 2}));
}

void TestCsv::numberLabelsAreSortedAsNumbers()
{
    const LoadedData loaded = loadText("x,kind\n1,10\n2,9\n3,-1\n4,9.0\n", "", {{"x", {1}, DType::F32}}, true);
    const Targets& targets = *loaded.trainTargets;
    QVERIFY(targets.classNames == (std::vector<std::string>{"-1", "9", "10"}));
    QCOMPARE(values<std::int64_t>(targets.values), (std::vector<std::int64_t>{2, 1, 0, 1}));
}

void TestCsv::severalTargetColumnsAreValues()
{
    const std::string_view text = "x,p,q\n1,0.25,0.75\n2,1,0\n";
    for (const bool classes : {false, true}) {  // with a loss of classes: their probabilities
        const LoadedData loaded = loadText(text, R"(, "targets": ["p", "q"])", {{"x", {1}, DType::F32}}, classes);
        QVERIFY(!loaded.trainTargets->classes);
        QVERIFY(loaded.trainTargets->values.sample == Shape{2});
        QCOMPARE(values<float>(loaded.trainTargets->values), (std::vector<float>{0.25, 0.75, 1, 0}));
    }
}

void TestCsv::withoutTargetsAllColumnsAreInputs()
{
    m_folder.write("t.csv", "a,b\n1,2\n");
    const Value data = parseJson(R"({"source": "csv", "path": "t.csv", "targets": []})");
    LoadContext context = contextFor({{"x", {2}, DType::F32}}, false);
    context.projectFolder = m_folder.path();
    context.hasTargets = false;
    const LoadedData loaded = load(data, context);
    QCOMPARE(values<float>(loaded.trainInputs.at(0)), (std::vector<float>{1, 2}));
    QVERIFY(!loaded.trainTargets);
    context.hasTargets = true;
    QCOMPARE(errorOf([&] { load(data, context); }),
             "the loss compares with targets, but the data has none: name them in data.targets");
}

void TestCsv::badTablesAreRefusedInOneSentence_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const QByteArray& text, const QString& error) {
        QTest::newRow(name) << text << "t.csv: " + error;
    };
    row("blank", "a,b,y\n1,2,3\n4,,6\n", "line 3, column \"b\" is blank, but a number is needed");
    row("blank in quotes", "a,b,y\n1,\"\",3\n", "line 2, column \"b\" is blank, but a number is needed");
    row("blank target", "a,b,y\n1,2,\n", "line 2, column \"y\" is blank, but a number is needed");
    row("text", "a,b,y\n1,two,3\n", "line 2, column \"b\" has \"two\", but a number is needed");
    row("text target", "a,b,y\n1,2,red\n", "line 2, column \"y\" has \"red\", but a number is needed");
    row("line after a line break in quotes", "\"a\n1\",b,y\n1,\"\n\",3\n",
        "line 3, column \"b\" has \" \", but a number is needed");
    row("decimal comma", "a;b;y\n1;2,5;3\n",
        "line 2, column \"b\" has \"2,5\", but a number with a decimal point, not a comma, is needed");
    row("nan", "a,b,y\n1,nan,3\n", "line 2, column \"b\" has \"nan\", but a finite number is needed");
    row("inf", "a,b,y\n1,-inf,3\n", "line 2, column \"b\" has \"-inf\", but a finite number is needed");
    row("too large", "a,b,y\n1,1e999,3\n", "line 2, column \"b\" has \"1e999\", but a number is needed");
    row("too few", "a,b,y\n1,2,3\n4,5\n", "line 3 has 2 values, but the first line names 3 columns");
    row("too many", "a,b,y\n1,2,3,4\n", "line 2 has 4 values, but the first line names 3 columns");
    row("one", "a,b,y\n1\n", "line 2 has 1 value, but the first line names 3 columns");
    row("empty line", "a,b,y\n1,2,3\n\n4,5,6\n", "line 3 is empty");
    row("open quote", "a,b,y\n1,\"2,3\n4,5,6\n", "line 2: a quote is opened but not closed");
    row("text after a quote", "a,b,y\n1,\"2\"x,3\n", "line 2: there is text after a closing quote");
    row("no rows", "a,b,y\n", "there are names of columns, but no rows");
    row("no header", "1,2,3\n4,5,6\n", "line 1 has numbers, but the first line must name the columns");
    row("one column", "y\n1\n", "there is no column left for the inputs; there is one column, the target");
    row("blanks alone", " \n\n", "there is nothing in it");
    row("not UTF-8", "a,b,y\n1,2,\xE9\n", "the text is not UTF-8; save it as UTF-8");
    row("zero bytes", QByteArray("a,b,y\n1,\0,3\n", 12), "is not a CSV table: it holds zero bytes");
    row("zip", QByteArray("PK\x03\x04", 4) + "rest", "is not a CSV table but a zip archive");
    row("gzip", "\x1f\x8brest", "is not a CSV table but a gzip archive");
    row("HTML", "\n <!DOCTYPE html><html></html>", "is not a CSV table but an HTML page");
    row("Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "is not a CSV table but a Git LFS pointer, whose file has yet to be fetched (git lfs pull)");
    row("UTF-16",
        QByteArray("\xff\xfe"
                   "a\0",
                   4),
        "the text is not UTF-8; save it as UTF-8");
    row("nothing", "", "the file is empty");
    row("long text is cut between characters", "a,b,y\n1," + QByteArray("\xC3\xA9").repeated(30) + ",3\n",
        "line 2, column \"b\" has \"" + QString::fromUtf8("\u00e9").repeated(20) + "...\", but a number is needed");
}

void TestCsv::badTablesAreRefusedInOneSentence()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, error);
    const std::string bytes = text.toStdString();
    QCOMPARE(errorOf([&] { loadText(bytes, "", {{"x", {2}, DType::F32}}, false); }), error);
}

void TestCsv::badColumnsAreRefusedInOneSentence_data()
{
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("error");
    QTest::newRow("unknown") << R"(, "targets": ["z"])"
                             << "t.csv: there is no column \"z\"; there are \"a\", \"b\", \"b\", \"y\"";
    QTest::newRow("twice") << R"(, "inputs": ["b"])"
                           << "t.csv: two columns are called \"b\"";
    QTest::newRow("no list") << R"(, "inputs": 3)"
                             << "data.inputs must be a list of column names, but it is a whole number";
    QTest::newRow("no text") << R"(, "inputs": [3])"
                             << "data.inputs must be a list of column names, but it has a whole number";
    QTest::newRow("none") << R"(, "inputs": [])"
                          << "t.csv: there is no column left for the inputs; there are 4";
    QTest::newRow("wrong Input") << R"(, "inputs": {"z": ["a"]})"
                                 << "data.inputs has \"z\", but the network's Input nodes are x";
    QTest::newRow("wrong count") << R"(, "inputs": ["a", "y"])"
                                 << "the Input \"x\" takes samples of [1], but t.csv has samples of [2]";
    QTest::newRow("value as a class")
        << R"(, "inputs": ["a"])"
        << "t.csv: column \"y\": row 0 has 0.5, but classes are whole numbers or texts; for "
           "values choose a loss such as MSELoss";
}

void TestCsv::badColumnsAreRefusedInOneSentence()
{
    QFETCH(QString, keys);
    QFETCH(QString, error);
    QCOMPARE(errorOf([&] {
                 loadText("a,b,b,y\n1,2,3,0.5\n", keys.toStdString(), {{"x", {1}, DType::F32}}, true);
             }),
             error);
}

void TestCsv::badFilesAreRefusedInOneSentence()
{
    const auto error = [&](const char* data) {
        return errorOf([&] { sourceFacts(parseJson(data), m_folder.path()); });
    };
    std::filesystem::create_directories(m_folder.path() / "sub");
    QVERIFY(error(R"({"source": "csv", "path": "none.csv"})").startsWith("none.csv: there is no such file ("));
    QCOMPARE(error(R"({"source": "csv", "path": "sub"})"), "sub: is a folder, but a file is needed");
    QCOMPARE(error(R"({"source": "csv"})"), "data.path is missing: it names the file, relative to the project");
    QCOMPARE(error(R"({"source": "csv", "path": 3})"),
             "data.path must be the name of a file, but it is a whole number");
    QCOMPARE(error(R"({"source": "csv", "path": ""})"), "data.path must be the name of a file, but it is empty");
    QCOMPARE(error(R"({"source": "csv", "path": "/dev/zero"})"), "/dev/zero: is not a regular file");
}

void TestCsv::predictionReadsTheColumnsThatWereTrainedOn()
{
    const LoadedData loaded =
        loadText("a,b,y\n0,10,1\n4,30,2\n", R"(, "normalize": "minmax")", {{"x", {2}, DType::F32}}, false);
    const Normalization kept = Normalization::fromValue(parseJson(writeJson(loaded.normalization.toValue())));
    QVERIFY(kept == loaded.normalization);

    m_folder.write("new.csv", "id,b,a\nfirst,20,1\nsecond,50,2\n");
    const std::vector<InputSpec> inputs = {{"x", {2}, DType::F32}};
    const std::vector<Samples> rows = readCsvInputs(m_folder.path() / "new.csv", inputs, kept);
    QCOMPARE(rows.at(0).count, 2);
    QCOMPARE(values<float>(rows.at(0)), (std::vector<float>{0.25, 0.5, 0.5, 2.0}));

    m_folder.write("less.csv", "b,y\n20,1\n");
    QCOMPARE(errorOf([&] { readCsvInputs(m_folder.path() / "less.csv", inputs, kept); }),
             "less.csv: there is no column \"a\"; there are \"b\", \"y\"");
    // Without kept names: as many columns as the Input has elements.
    const std::vector<Samples> square = readCsvInputs(m_folder.path() / "less.csv", {{"x", {1, 2, 1}, DType::F32}}, {});
    QCOMPARE(values<float>(square.at(0)), (std::vector<float>{20, 1}));
    QCOMPARE(errorOf([&] {
                 readCsvInputs(m_folder.path() / "less.csv", {{"x", {3}, DType::F32}}, {});
             }),
             "less.csv: has 2 columns, but Input \"x\" takes [3]");
}

QTEST_APPLESS_MAIN(TestCsv)
#include "test_csv.moc"
