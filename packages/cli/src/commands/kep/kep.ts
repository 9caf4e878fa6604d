import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { check } from './check.js';
import { fix } from './fix.js';
import { list } from './list.js';
import { lsp } from './lsp.js';
import { create } from './new.js';
import { promote } from './promote.js';
import { show } from './show.js';
import { site } from './site.js';
import { status } from './status.js';
import { template } from './template.js';
import { toc } from './toc.js';
import { verify } from './verify.js';

/** `slipway kep`, with its verbs. */
export function command(invocation: Invocation): Command {
  const kep = newCommand('kep', 'Write and check enhancement proposals (KEPs); needs no cluster, except for verify');
  const verbs = [check, fix, toc, create, promote, list, show, status, template, site, lsp, verify];
  for (const verb of verbs) kep.addCommand(verb(invocation));
  return kep;
}
