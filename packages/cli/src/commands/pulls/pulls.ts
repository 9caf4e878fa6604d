import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { check } from './check.js';
import { ensure } from './ensure.js';
import { list } from './list.js';
import { drop, limit, pause, resume } from './steer.js';

/** `slipway pulls`: how many images a node pulls at once. */
export function command(invocation: Invocation): Command {
  const pulls = newCommand('pulls', 'Limit how many images a node pulls at once', [
    'slipway pulls serve --runtime unix:///run/containerd/containerd.sock --listen /run/pulls.sock --limit 4',
    'slipway pulls list',
    'slipway pulls limit 2',
  ]).addCommand(serve(invocation));
  for (const each of [list, limit, pause, resume, drop, check, ensure]) pulls.addCommand(each(invocation));
  return pulls;
}

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
