import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { audit } from './audit.js';
import { autosize } from './autosize.js';
import { explain } from './explain.js';
import { list } from './list.js';
import { partition } from './partition.js';
import { preflight } from './preflight.js';
import { resize } from './resize.js';
import { size } from './size.js';
import { verifyPriorityOf } from './verify-priority.js';

/** `slipway node`, with its verbs. */
export function command(invocation: Invocation): Command {
  const node = newCommand('node', 'Show and set how much of a node pods may use');
  const verbs = [list, size, resize, partition, autosize, explain, preflight, verifyPriorityOf, audit];
  for (const verb of verbs) node.addCommand(verb(invocation));
  return node;
}
