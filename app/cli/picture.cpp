// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/predict_files.h"
#include "engine/core/error.h"
#include "engine/io/atomic_file.h"

#include <fmt/format.h>

#include <QBuffer>
#include <QImage>
#include <QImageReader>

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace megalith::cli {

namespace {

constexpr std::uint64_t mostBytes = std::uint64_t{1} << 28;

struct PictureSize
{
    std::int64_t channels = 1, height = 0, width = 0;
};

// Of [H, W] the one channel is left out.
PictureSize sizeFor(const data::InputSpec& input, const std::string& file)
{
    const Shape& shape = input.shape;
    if (shape.size() == 2)
        return {1, shape[0], shape[1]};
    if (shape.size() == 3 && (shape[0] == 1 || shape[0] == 3))
        return {shape[0], shape[1], shape[2]};
    throw Error(fmt::format("{}: a picture is for an Input of [1, H, W], [3, H, W] or [H, W], but \"{}\" takes {}",
                            file, input.name, text(shape)));
}

// libpng's own words on standard error would come beside ours.
class Silence
{
public:
    Silence()
        : m_before(qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {}))
        , m_errors(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
    {
        std::fflush(stderr);
        const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nothing < 0)
            return;
        dup2(nothing, STDERR_FILENO);
        close(nothing);
    }
    ~Silence()
    {
        std::fflush(stderr);
        if (m_errors < 0) {
            close(STDERR_FILENO);  // as it was before
        } else {
            dup2(m_errors, STDERR_FILENO);
            close(m_errors);
        }
        qInstallMessageHandler(m_before);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

private:
    QtMessageHandler m_before;
    int m_errors;  // where standard error went, -1 when it was closed
};

QImage decode(const std::string& file, const PictureSize& size)
{
    const std::vector<std::byte> bytes = io::readWholeFile(file, mostBytes);
    QByteArray all =
        QByteArray::fromRawData(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size()));
    if (!all.startsWith("\x89PNG\r\n\x1a\n"))
        throw FormatError(file + ": this is no PNG picture");
    const Silence silence;
    QBuffer buffer(&all);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer, "png");
    reader.setAutoTransform(false);
    const QSize found = reader.size();
    if (found.isValid() && (found.width() != size.width || found.height() != size.height))
        throw Error(fmt::format("{}: the picture is {} wide and {} high, but the network takes {} by {}", file,
                                found.width(), found.height(), size.width, size.height));
    const QImage image = reader.read();
    if (image.isNull())
        throw FormatError(file + ": the picture is damaged: " + reader.errorString().toStdString());
    return image.convertToFormat(size.channels == 1 ? QImage::Format_Grayscale8 : QImage::Format_RGB888);
}

}  // namespace

StateEntry readPicture(const data::InputSpec& input, const std::string& file)
{
    const PictureSize size = sizeFor(input, file);
    const QImage image = decode(file, size);
    std::vector<std::byte> bytes;
    bytes.reserve(static_cast<std::size_t>(numel(input.shape)));
    for (std::int64_t channel = 0; channel < size.channels; ++channel)
        for (int y = 0; y < image.height(); ++y) {
            const uchar* row = image.constScanLine(y);
            for (int x = 0; x < image.width(); ++x)
                bytes.push_back(static_cast<std::byte>(row[x * size.channels + channel]));
        }
    Shape shape = input.shape;
    shape.insert(shape.begin(), 1);
    return makeEntry("U8", std::move(shape), bytes);
}

}  // namespace megalith::cli
