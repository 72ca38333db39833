// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/atomic_file.h"
#include "engine/io/mapped_file.h"
#include "engine/io/weights_format.h"
#include "tests/io/io_test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace megalith;
using namespace megalith::test;

// Writing that leaves the old file or the whole new one, reading whole files, and the list of formats.
class TestFiles : public QObject
{
    Q_OBJECT

private slots:
    void writesAndReplaces();
    void withoutCommitNothingChanges();
    void fullDisk();
    void placesThatCannotBeWritten();
    void unwritableFolder();
    void linksAndPermissions();
    void anyPath();
    void readingWhole();
    void mapping();
    void formatByName();
    void formatByContent();
    void unknownFormats();
};

namespace {

StateDict oneTensor()
{
    StateDict dict;
    dict.add("w", entryOf("F32", {2}, std::vector<float>{1.0F, 2.0F}));
    return dict;
}

mode_t modeOf(const std::filesystem::path& path)
{
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

// The exit status of what runs in a child process.
template<typename Call>
int inChild(const Call& call)
{
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(call());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void TestFiles::writesAndReplaces()
{
    const Folder folder;
    io::writeFileAtomically(folder / "x", "first");
    QCOMPARE(io::readWholeText(folder / "x"), std::string("first"));
    const std::string large(300000, 'l');
    io::AtomicFile file(folder / "x");
    file.write("a");
    file.write(large);
    file.write("b");
    QCOMPARE(io::readWholeText(folder / "x"), std::string("first"));
    QCOMPARE(file.written(), std::uint64_t{300002});
    file.commit();
    QCOMPARE(io::readWholeText(folder / "x"), "a" + large + "b");
    io::writeFileAtomically(folder / "x", "");
    QCOMPARE(io::readWholeText(folder / "x"), std::string());
    QVERIFY(filesIn(folder.path()) == std::vector<std::string>{"x"});
}

void TestFiles::withoutCommitNothingChanges()
{
    const Folder folder;
    io::writeFileAtomically(folder / "x", "old");
    {
        io::AtomicFile file(folder / "x");
        file.write("new");
    }
    {
        io::AtomicFile other(folder / "y");
        other.write(std::string(200000, 'n'));
    }
    QCOMPARE(io::readWholeText(folder / "x"), std::string("old"));
    QVERIFY(filesIn(folder.path()) == std::vector<std::string>{"x"});
}

void TestFiles::fullDisk()
{
    // A limit on the size of files stands for the disk: the same call fails at the same place.
    const Folder folder;
    io::writeFileAtomically(folder / "x", "old");
    const int status = inChild([&folder] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100000, 100000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::string error = errorOf([&] { io::writeFileAtomically(folder / "x", std::string(500000, 'n')); });
        return contains(error, (folder / "x").string() + ": the file would be larger than the system allows") ? 0 : 1;
    });
    QCOMPARE(status, 0);
    QCOMPARE(io::readWholeText(folder / "x"), std::string("old"));
    QVERIFY(filesIn(folder.path()) == std::vector<std::string>{"x"});
    QCOMPARE(io::reasonText(ENOSPC), std::string("the disk is full"));
}

void TestFiles::placesThatCannotBeWritten()
{
    const Folder folder;
    std::filesystem::create_directory(folder / "dir");
    io::writeFileAtomically(folder / "file", "f");
    const auto write = [](const std::filesystem::path& path) { io::writeFileAtomically(path, "x"); };
    VERIFY_REFUSED(write(folder / "dir"), (folder / "dir").string() + ": it is a folder");
    VERIFY_REFUSED(write(folder / "dir/"), "it is a folder");
    VERIFY_REFUSED(write(folder / "none/x"), "there is no folder " + (folder / "none").string());
    VERIFY_REFUSED(write(folder / "file/x"), "no folder");
    VERIFY_REFUSED(write(""), "cannot write");
    VERIFY_REFUSED(write(folder / std::string(300, 'n')), "the name is too long");
    VERIFY_REFUSED(write("/dev/null"), "no regular file");
    QVERIFY((filesIn(folder.path()) == std::vector<std::string>{"dir", "file"}));
}

void TestFiles::unwritableFolder()
{
    const Folder folder;
    std::filesystem::create_directory(folder / "locked");
    io::writeFileAtomically(folder / "locked/x", "old");
    std::filesystem::permissions(folder / "locked",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
    // Root may write everywhere: nobody tries.
    const int status = inChild([&folder] {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
            return 2;
        std::filesystem::path target = folder / "locked/x";
        const std::string error = errorOf([&] { io::writeFileAtomically(target, "new"); });
        return contains(error, "nothing can be written in the folder") && contains(error, "permission denied") ? 0 : 1;
    });
    std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_all);
    QCOMPARE(status, 0);
    QCOMPARE(io::readWholeText(folder / "locked/x"), std::string("old"));
}

void TestFiles::linksAndPermissions()
{
    const Folder folder;
    std::filesystem::create_directory(folder / "real");
    io::writeFileAtomically(folder / "real/x", "old");
    ::chmod((folder / "real/x").c_str(), 0640);
    std::filesystem::create_symlink("real/x", folder / "link");
    io::writeFileAtomically(folder / "link", "new");
    QVERIFY(std::filesystem::is_symlink(folder / "link"));
    QCOMPARE(io::readWholeText(folder / "real/x"), std::string("new"));
    QCOMPARE(modeOf(folder / "real/x"), mode_t{0640});

    std::filesystem::create_symlink("real/later", folder / "dangling");
    io::writeFileAtomically(folder / "dangling", "made");
    QCOMPARE(io::readWholeText(folder / "real/later"), std::string("made"));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    QCOMPARE(modeOf(folder / "real/later"), 0666 & ~mask);

    std::filesystem::create_symlink("circle", folder / "circle");
    VERIFY_REFUSED(io::writeFileAtomically(folder / "circle", "x"), "lead in a circle");
}

void TestFiles::anyPath()
{
    const Folder folder;
    for (const char* name :
         {"with space", "模型", "🧠", "e\u0301", "quote'\"", "back\\slash", "-dash", ".hidden", "new\nline"})
    {
        std::filesystem::create_directory(folder / name);
        const std::filesystem::path path = folder / name / (std::string(name) + ".mega");
        io::writeWeights(path, oneTensor());
        QVERIFY(sameItems(io::readWeights(path).tensors, oneTensor()));
        save(oneTensor(), path);
        QVERIFY(sameItems(load(path), oneTensor()));
        QCOMPARE(filesIn(folder / name).size(), std::size_t{1});
        VERIFY_REFUSED(io::readWholeText(folder / name / "none"), (folder / name / "none").string());
    }
}

void TestFiles::readingWhole()
{
    const Folder folder;
    io::writeFileAtomically(folder / "x", "12345");
    QCOMPARE(io::readWholeFile(folder / "x", 5).size(), std::size_t{5});
    VERIFY_REFUSED(io::readWholeFile(folder / "x", 4), "it has 5 bytes, more than the 4");
    VERIFY_REFUSED(io::readWholeFile(folder / "none"), "none: no such file or folder");
    VERIFY_REFUSED(io::readWholeFile(folder.path()), "it is a folder");
    VERIFY_REFUSED(io::readWholeFile(folder / "x/y"), "no folder");
    VERIFY_REFUSED(io::readWholeFile("/dev/zero"), "no regular file");
    QCOMPARE(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    VERIFY_REFUSED(io::readWholeFile(folder / "pipe"), "no regular file");
}

void TestFiles::mapping()
{
    const Folder folder;
    io::writeFileAtomically(folder / "x", "12345");
    std::shared_ptr<const std::byte> part;
    {
        const auto file = io::MappedFile::open(folder / "x");
        QCOMPARE(file->size(), std::size_t{5});
        part = file->at(3);
    }
    std::filesystem::remove(folder / "x");
    QVERIFY(*part == std::byte{'4'});
    io::writeFileAtomically(folder / "empty", "");
    QCOMPARE(io::MappedFile::open(folder / "empty")->size(), std::size_t{0});
    VERIFY_REFUSED(io::MappedFile::open(folder / "none"), "no such file");
    VERIFY_REFUSED(io::MappedFile::open(folder.path()), "it is a folder");
}

void TestFiles::formatByName()
{
    QCOMPARE(io::formatForPath("a/b.mega")->name, std::string_view("mega"));
    QCOMPARE(io::formatForPath("B.MEGA")->name, std::string_view("mega"));
    QCOMPARE(io::formatForPath("m.mega.index.json")->name, std::string_view("mega"));
    QVERIFY(io::formatForPath("m.json") == nullptr);
    QVERIFY(io::formatForPath("mega") == nullptr);
    QCOMPARE(io::knownExtensions(), std::string(".mega, .mega.index.json"));
    QCOMPARE(io::readWeights(sample("sharded/model.mega.index.json")).tensors.size(), std::size_t{7});
}

void TestFiles::formatByContent()
{
    const Folder folder;
    const io::Metadata metadata = {{"megalith.normalize", "standard"}};
    io::writeWeights(folder / "x.mega", oneTensor(), metadata);
    std::filesystem::rename(folder / "x.mega", folder / "x.bin");
    const io::Weights weights = io::readWeights(folder / "x.bin");
    QVERIFY(sameItems(weights.tensors, oneTensor()));
    QVERIFY(*io::findMetadata(weights.metadata, "megalith.normalize") == Value("standard"));
}

void TestFiles::unknownFormats()
{
    const Folder folder;
    io::writeFileAtomically(folder / "x.pt", "PK\x03\x04");
    VERIFY_REFUSED(io::readWeights(folder / "x.pt"), "these are: .mega, .mega.index.json");
    VERIFY_REFUSED(io::readWeights(folder / "none.pt"), "no such file");
    VERIFY_REFUSED(io::readWeights(folder.path()), "it is a folder");
    VERIFY_REFUSED(io::writeWeights(folder / "x.xyz", oneTensor()), "these are: .mega");
    VERIFY_REFUSED(io::writeWeights(folder / "x", oneTensor()), "these are: .mega");
    VERIFY_REFUSED(io::writeWeights(folder / "x.mega.index.json", oneTensor()), "these are: .mega");
    QCOMPARE(filesIn(folder.path()).size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestFiles)
#include "test_files.moc"
