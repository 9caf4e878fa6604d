import { type Survey, type SurveyedGate, surveyCluster } from '@slipway/features';
import { findAccess, type Kube } from '@slipway/kube';
import { type Format, renderList } from '../../output/format.js';
import type { Invocation } from '../../runtime/command.js';
import type { ClusterOptions } from '../../runtime/connect.js';
import { exit } from '../../runtime/exit.js';
import type { FeatureFilters } from './feature-filters.js';

/** Lists the gates of a cluster on which nothing of ours is installed, as far as whoever asks may look. */
export async function listWithoutUs(
  kube: Kube,
  options: ClusterOptions & FeatureFilters & { readonly format: Format },
  { terminal, signal, answer }: Invocation,
): Promise<void> {
  const { kubeconfig, context, format } = options;
  const access = await findAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const { gates, unseen } = await surveyCluster({ kube, access, signal });
  const rows = gates.filter((gate) => fits(gate, options));
  const document: Survey = { gates: rows, unseen };
  const isTable = format === 'table' || format === 'wide';
  if (rows.length > 0 || !isTable) {
    const columns = [
      { heading: 'GATE', cell: ({ gate }: SurveyedGate) => gate },
      { heading: 'STAGE', cell: ({ stage }: SurveyedGate) => stage },
      { heading: 'SEEN', cell: seen },
      { heading: 'SET BY FLAG', cell: setBy },
    ];
    terminal.out(renderList(rows, { format, columns, document, name: ({ gate }) => gate }));
  }
  terminal.err('Slipway is not installed here: this is what your rights let you read.\n');
  terminal.err(unseen.map((sentence) => `Not seen: ${sentence}\n`).join(''));
  terminal.err('To fix: slipway install, so that every process reports\n');
  if (gates.length === 0) answer(exit.unknown);
}

/** `kube-apiserver 2 on 1 off; kubelet 5 on`. */
function seen({ components }: SurveyedGate): string {
  return components
    .map(({ component, on, off }) => `${component}${on > 0 ? ` ${on} on` : ''}${off > 0 ? ` ${off} off` : ''}`)
    .join('; ');
}

function setBy({ components }: SurveyedGate): string {
  return components.flatMap(({ component, set }) => (set > 0 ? [component] : [])).join(', ') || '-';
}

/** Transitions and leftovers cannot be seen from here, so these filters match nothing. */
function fits({ stage, components }: SurveyedGate, filters: FeatureFilters): boolean {
  const some = (value: 'on' | 'off' | 'set') => components.some((component) => component[value] > 0);
  return (
    !filters.changing &&
    !filters.dangling &&
    (!filters.on || (some('on') && !some('off'))) &&
    (!filters.off || (some('off') && !some('on'))) &&
    (!filters.drift || (some('on') && some('off'))) &&
    (!filters.set || some('set')) &&
    (filters.stage === undefined || stage.toLowerCase() === filters.stage.toLowerCase())
  );
}
