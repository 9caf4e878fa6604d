import { type Command, Option } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { bypass } from './bypass.js';
import { check } from './check.js';
import { describe } from './describe.js';
import { doctor } from './doctor.js';
import { ensure } from './ensure.js';
import { install, uninstall } from './install.js';
import { list } from './list.js';
import { serveFlagList } from './serve-flags.js';
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

/** Describes the daemon; except for its help `main.ts` has branched off before, so that the daemon loads nothing else. */
function serve({ answer }: Invocation): Command {
  const command = newCommand(
    'serve',
    'Run between a kubelet and its container runtime, and limit parallel image pulls',
    [
      'slipway pulls serve --runtime unix:///run/containerd/containerd.sock --listen /run/pulls.sock --limit 4',
      'slipway pulls serve --config /etc/slipway/pulls.yaml',
    ],
  );
  for (const { name, value, choices = [], help } of serveFlagList) {
    const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, help);
    command.addOption(choices.length > 0 ? option.choices(choices) : option);
  }
  return command.action(async (values: Readonly<Record<string, string | boolean>>) => {
    const { servePulls } = await import('./serve-entry.js');
    const words = command.options.flatMap((option) => {
      const typed = values[option.attributeName()];
      return typed === undefined ? [] : typed === true ? [`${option.long}`] : [`${option.long}=${typed}`];
    });
    answer((await servePulls(words)) as 0 | 2 | 5);
  });
}
