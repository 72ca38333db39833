// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "engine/backend/session.h"

#include <memory>

namespace megalith::cli {

namespace {

struct DevicesCall
{
    bool json = false;
    bool tune = false;
};

int devices(const DevicesCall& call, Output& out)
{
    if (call.tune)
        throw WrongCall("devices: --tune does not exist yet; it comes with a later version");
    Session session;
    const std::vector<DeviceInfo> found = session.devices();
    if (call.json) {
        for (const DeviceInfo& device : found)
            out.json(Value::Object{{"id", device.id},
                                   {"name", device.name},
                                   {"kind", device.kind},
                                   {"usable", device.usable},
                                   {"reason", device.reason},
                                   {"memory_bytes", static_cast<std::int64_t>(device.memoryBytes)}});
        return 0;
    }
    Table table({"id", "name", "usable"});
    for (const DeviceInfo& device : found)
        table.add({device.id, device.name, device.usable ? "yes" : "no: " + device.reason});
    table.print(out);
    return 0;
}

}  // namespace

Run devicesCommand(Options& options)
{
    const auto call = std::make_shared<DevicesCall>();
    options.flag(call->json, "--json", "One JSON object per line");
    options.flag(call->tune, "--tune", "Comes with a later version");
    return [call](Output& out) { return devices(*call, out); };
}

}  // namespace megalith::cli
