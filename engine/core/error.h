// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>

namespace megalith {

// Everything the engine throws. what() is one sentence in the user's language: the operation, what was
// found, what was expected, and where to look. It is shown as it is.
class Error : public std::runtime_error
{
public:
    explicit Error(const std::string& text) : std::runtime_error(text) {}
};

// Sizes or dtypes that do not meet.
class ShapeError : public Error
{
public:
    using Error::Error;
};

// A file that breaks its format's rules.
class FormatError : public Error
{
public:
    using Error::Error;
};

// A device that cannot be used, is lost, or is out of memory.
class DeviceError : public Error
{
public:
    using Error::Error;
};

class KernelBuildError : public DeviceError
{
public:
    using DeviceError::DeviceError;
};

// A data set that is missing, or whose content does not fit.
class DataError : public Error
{
public:
    using Error::Error;
};

// The user asked to stop.
class Cancelled : public Error
{
public:
    using Error::Error;
};

}  // namespace megalith
