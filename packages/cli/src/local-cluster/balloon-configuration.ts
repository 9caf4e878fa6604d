import { readFileSync } from 'node:fs';
import { type BalloonConfiguration, BalloonConfigurationError, readBalloonConfiguration } from '@slipway/balloons';
import { errorMessage, systemClock } from '@slipway/kube';
import { parseYaml } from '@slipway/safe-yaml';
import { CommandError, exit } from '../runtime/exit.js';

const example = 'give a file such as: {actuators: [{name: lab, driver: qmp, socket: "/run/vm/{node}.sock"}]}';

/**
 * The configuration in a file, or the one of a controller that was told nothing.
 * @throws CommandError (usage) when the file cannot be read or used.
 */
export function balloonConfiguration(path: string | undefined): BalloonConfiguration {
  if (path === undefined) return readBalloonConfiguration({}, systemClock);
  try {
    return readBalloonConfiguration(parseYaml(readFileSync(path, 'utf8')), systemClock);
  } catch (error) {
    const isOurs = error instanceof BalloonConfigurationError;
    const why = errorMessage(error);
    throw new CommandError(exit.usage, isOurs ? `${path}: ${why}` : `cannot read ${path}: ${why}`, example, {
      cause: error,
    });
  }
}
