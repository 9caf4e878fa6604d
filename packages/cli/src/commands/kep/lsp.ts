import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
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
      const { FrameError } = await import('./language-server/frame-guard.js');
      const saidGoodbye = await serveLanguage({
        input: process.stdin,
        output: process.stdout,
        repositoryFor: (folder) => openRepository(options, folder),
      }).catch((error: unknown) => {
        if (!(error instanceof FrameError)) throw error;
        const message = `the input is not the Language Server Protocol: ${error.message}`;
        throw new CommandError(exit.usage, message, 'let an editor start it, with: slipway kep lsp --stdio');
      });
      if (!saidGoodbye) answer(exit.no);
    });
}
