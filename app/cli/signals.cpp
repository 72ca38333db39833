// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace megalith::cli {

namespace {

// A signal handler reaches nothing else.
std::atomic<int> askedBy{0};
static_assert(std::atomic<int>::is_always_lock_free);

void onSignal(int number)
{
    if (askedBy.exchange(number) != 0)
        ::_exit(128 + number);
}

}  // namespace

StopSignals::StopSignals()
{
    askedBy = 0;
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    // Also where they were ignored, as a shell does for a job in the background: who sends one means it.
    for (const int number : {SIGINT, SIGTERM})
        ::sigaction(number, &action, nullptr);
}

StopSignals::~StopSignals()
{
    for (const int number : {SIGINT, SIGTERM})
        std::signal(number, SIG_DFL);
}

int StopSignals::asked()
{
    return askedBy;
}

void guardStandardStreams()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) == -1) {
            // The lowest free number is this one.
            [[maybe_unused]] const int opened = ::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
        }
}

}  // namespace megalith::cli
