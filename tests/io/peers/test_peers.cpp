// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/paths.h"

#include <QtTest/QtTest>

// Files exchanged with the programs that others use: TensorPlay, megatensors and, through them, PyTorch.
class TestPeers : public QObject
{
    Q_OBJECT

private slots:
    void exchange_data();
    void exchange();
};

void TestPeers::exchange_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"tensorplay_reads", "tensorplay_reads_checkpoint", "megatensors_reads", "reads_tensorplay",
                             "reads_tensorplay_trees", "reads_megatensors", "reads_footer", "pytorch_both_ways"})
        QTest::newRow(name) << name;
}

void TestPeers::exchange()
{
    QFETCH(QString, name);
    const QString python = qEnvironmentVariable("MEGALITH_PEER_PYTHON");
    QVERIFY2(!python.isEmpty(),
             "MEGALITH_PEER_PYTHON names no Python with tensorplay, megatensors, safetensors and numpy; "
             "packaging/test makes one");
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    const QString script = QString::fromUtf8(megalith::test::sourceFolder) + "/tests/io/peers/peers.py";
    process.start(python, {script, name, QCoreApplication::applicationDirPath() + "/mega_peer"});
    QVERIFY2(process.waitForStarted(), qPrintable(python + ": " + process.errorString()));
    QVERIFY2(process.waitForFinished(240000), "no answer in 240 s");
    const QByteArray output = process.readAll();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0, output.constData());
}

QTEST_GUILESS_MAIN(TestPeers)
#include "test_peers.moc"
