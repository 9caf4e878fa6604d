import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { bypass } from './bypass.js';
import { check } from './check.js';
import { describe } from './describe.js';
import { doctor } from './doctor.js';
import { ensure } from './ensure.js';
import { install, uninstall } from './install.js';
import { list } from './list.js';
import { drop, limit, pause, resume } from './steer.js';
import { top } from './top.js';
import { whatIf } from './what-if.js';

/** `slipway pulls`: how many images a node pulls at once. */
export function command(invocation: Invocation): Command {
  const pulls = newCommand('pulls', 'Limit how many images a node pulls at once', [
    'slipway pulls serve --runtime unix:///run/containerd/containerd.sock --listen /run/pulls.sock --limit 4',
    'slipway pulls list',
    'slipway pulls limit 2',
  ]).addCommand(serve(invocation));
  for (const each of verbs) pulls.addCommand(each(invocation));
  return pulls;
}

const verbs = [
  top,
  list,
  describe,
  limit,
  drop,
  pause,
  resume,
  check,
  doctor,
  whatIf,
  ensure,
  install,
  uninstall,
  bypass,
];

/** Usually `main.ts` has branched off before it came here, so that the daemon loads nothing else. */
function serve({ answer }: Invocation): Command {
  return newCommand('serve', 'Stand between a kubelet and its container runtime, and limit')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_options: unknown, { args }: Command) => {
      const { servePulls } = await import('./serve-entry.js');
      answer((await servePulls(args)) as 0 | 2 | 5);
    });
}
