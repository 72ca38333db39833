// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/run_files.h"

#include "engine/core/error.h"
#include "engine/core/number_text.h"
#include "engine/io/atomic_file.h"
#include "engine/io/mega_writer.h"

#include <system_error>

namespace megalith::train {

namespace {

// The rows of an older metrics.csv up to a step.
std::string keptRows(const std::filesystem::path& file, const std::string& header, std::int64_t keepSteps)
{
    std::error_code none;
    if (keepSteps <= 0 || !std::filesystem::exists(file, none))
        return {};
    const std::string text = io::readWholeText(file);
    if (!text.starts_with(header))
        return {};
    std::string out;
    for (std::size_t at = header.size(); at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
        const auto step = parseInteger(std::string_view(text).substr(at, text.find(',', at) - at));
        if (!step || *step > keepSteps)
            break;
        out.append(text, at, end - at + 1);
        at = end + 1;
    }
    return out;
}

}  // namespace

RunFiles::RunFiles(std::filesystem::path folder, std::int64_t keepSteps, const std::string& metricName)
    : m_folder(std::move(folder))
    , m_header("step,epoch,loss,lr,val_loss,val_" + metricName + ",seconds\n")
    , m_written(std::chrono::steady_clock::now())
{
    std::error_code failed;
    std::filesystem::create_directories(m_folder, failed);
    if (failed)
        throw Error(m_folder.string() + ": the folder cannot be made: " + io::reasonText(failed.value()));
    m_rows = keptRows(m_folder / "metrics.csv", m_header, keepSteps);
    // Said now and not after the first epoch.
    io::writeFileAtomically(m_folder / "metrics.csv", m_header + m_rows);
}

void RunFiles::keepBestOf(const std::filesystem::path& folder)
{
    std::error_code none;
    const std::filesystem::path best = folder / "best.mega";
    if (!std::filesystem::exists(best, none) || std::filesystem::equivalent(folder, m_folder, none))
        return;
    const std::vector<std::byte> bytes = io::readWholeFile(best, std::uint64_t{1} << 40);
    io::writeFileAtomically(m_folder / "best.mega", bytes);
}

void RunFiles::step(const StepEvent& event, double seconds)
{
    closeRow(",");
    m_rows += std::to_string(event.step) + ',' + std::to_string(event.epoch) + ',' + shortestText(event.loss) + ','
              + shortestText(event.lr) + ',';
    m_lastRowTail = ',' + shortestText(seconds) + '\n';
}

void RunFiles::epoch(const EpochEvent& event)
{
    std::string validation;
    if (event.valLoss)
        validation += shortestText(*event.valLoss);
    validation += ',';
    if (!event.valMetrics.empty())
        validation += shortestText(event.valMetrics.front().value);
    closeRow(validation);
}

void RunFiles::closeRow(const std::string& validation)
{
    if (m_lastRowTail.empty())
        return;
    m_rows += validation + m_lastRowTail;
    m_lastRowTail.clear();
}

bool RunFiles::due() const
{
    return std::chrono::steady_clock::now() - m_written > std::chrono::seconds(5);
}

void RunFiles::write(const StateDict& last, const io::TreeValue& checkpoint, const io::Metadata& metadata,
                     const std::string& projectText)
{
    closeRow(",");
    io::Metadata withProject = metadata;
    withProject.emplace_back("megalith.project", projectText);
    // First what is smallest: on a disk that fills up the losses are kept.
    io::writeFileAtomically(m_folder / "metrics.csv", m_header + m_rows);
    io::writeMega(m_folder / "last.mega", last, metadata);
    io::writeMega(m_folder / "checkpoint.mega", checkpoint, withProject);
    if (m_best)
        io::writeMega(m_folder / "best.mega", *m_best, metadata);
    m_best.reset();
    m_written = std::chrono::steady_clock::now();
}

}  // namespace megalith::train
