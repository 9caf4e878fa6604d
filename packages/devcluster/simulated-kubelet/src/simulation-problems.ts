import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { scriptedAnswerProblem } from './exec/scripted-answers.js';
import { probeScript } from './probes/probe-script.js';
import { simulatedExit } from './simulation/simulated-exit.js';
import { simulationPrefix } from './simulation/simulation-text.js';
import { simulatedStop } from './timeline/simulated-stop.js';
import { toldUsage } from './usage/simulated-usage.js';

/** Lists the annotations of a pod's containers that cannot be parsed, one message each. */
export function simulationProblems(pod: Pod): readonly string[] {
  const names = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map(({ name }) => name);
  return names.flatMap((name) => {
    const read: readonly (readonly [string, unknown])[] = [
      ['', simulatedExit(pod, name)],
      ['.usage', toldUsage(pod, name)],
      ['.stop', simulatedStop(pod, name)],
      ['.exec', scriptedAnswerProblem(pod, name)],
      ...(['startup', 'readiness', 'liveness'] as const).map(
        (probe) => [`.${probe}`, probeScript(pod, name, probe)] as const,
      ),
    ];
    return read.flatMap(([suffix, problem]) =>
      typeof problem === 'string' ? [`Annotation ${simulationPrefix}${name}${suffix} is ignored: ${problem}`] : [],
    );
  });
}
