import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { balloonController } from './balloon-controller.js';
import { featureServer } from './feature-server.js';
import { nodeAgent } from './node-agent.js';

/** `slipway run`: the processes that `slipway install` puts on a cluster, one at a time. */
export function command(invocation: Invocation): Command {
  return newCommand('run', 'Run one process of Slipway beside a cluster, until SIGTERM')
    .addCommand(featureServer(invocation))
    .addCommand(nodeAgent(invocation))
    .addCommand(balloonController(invocation));
}
