import { basename } from 'node:path';

/**
 * How the user runs this program: `./slipway` in a clone, `kubectl slipway` as a plugin, `slipway` where it is installed.
 * The launcher of a clone passes on what was typed; removed from the environment here, so that no child inherits it.
 */
export const calledAs = nameFrom(process.env.SLIPWAY_CALLED_AS, process.argv[1]);
delete process.env.SLIPWAY_CALLED_AS;

/** Whether kubectl asks for completions of its plugin, which it does by the name of the program. */
export const completesForKubectl = calledAs.endsWith('kubectl_complete-slipway');

export function nameFrom(typed: string | undefined, script = ''): string {
  const name = typed ?? script;
  if (basename(name) === 'kubectl-slipway') return 'kubectl slipway';
  if (basename(name) === 'kubectl_complete-slipway') return name;
  return typed ?? 'slipway';
}

const commands =
  /(?<![\w./-]|kubectl )slipway(?= (?:up|down|status|console|feature|upgrade|node|pulls|kep|install|uninstall|doctor|run|dev|help|completion)\b)/g;

/** The same text with every `slipway COMMAND` written as the user has to type it. */
export function asCalled(text: string, name: string = calledAs): string {
  return name === 'slipway' ? text : text.replace(commands, () => name);
}
