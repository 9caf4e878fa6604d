import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { exit } from '../../runtime/exit.js';
import { openRepository, type RepositoryOptions, withRepository } from './open-repository.js';

/** `slipway kep lsp`. */
export function lsp({ answer }: Invocation): Command {
  return withRepository(
    newCommand(
      'lsp',
      'Serve an editor over stdin and stdout with findings, fixes and help (Language Server Protocol)',
      ['slipway kep lsp --stdio'],
    ),
  )
    .option('--stdio', 'what editors say; there is no other way')
    .action(async (options: RepositoryOptions) => {
      const { serveLanguage } = await import('./language-server/serve-language.js');
      const saidGoodbye = await serveLanguage({
        input: process.stdin,
        output: process.stdout,
        repositoryFor: (folder) => openRepository(options, folder),
      });
      if (!saidGoodbye) answer(exit.no);
    });
}
