import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from '../completion/shell-scripts.js';
import { type Invocation, newCommand } from '../runtime/command.js';

/** `slipway completion SHELL`. */
export function command({ terminal }: Invocation): Command {
  return newCommand('completion', 'Print a script that completes commands, flags and names in a shell', [
    'source <(slipway completion bash)               # in ~/.bashrc',
    'source <(slipway completion zsh)                # in ~/.zshrc, after compinit',
    'slipway completion fish | source                # in ~/.config/fish/config.fish',
  ])
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells))
    .action((shell: Shell) => terminal.out(completionScript(shell)));
}
