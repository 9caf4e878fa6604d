import type { DaemonState } from '../daemon/pull-daemon.js';

/** Makes the state of a daemon that limits pulls to four and has none. */
export function aDaemonState(change: Partial<DaemonState> = {}): DaemonState {
  return {
    limit: 4,
    counted: 0,
    adopted: 0,
    paused: false,
    draining: false,
    runtimeUp: true,
    running: [],
    waiting: [],
    fidelity: 'exact',
    bypassed: false,
    limitSource: 'configuration',
    ...change,
  };
}
