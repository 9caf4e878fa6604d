import { findCondition } from '@slipway/kube';
import type { Feature } from '../api/feature.js';

/** What a listing of features can be filtered by. */
export type FeatureTrait = 'on' | 'off' | 'changing' | 'dangling' | 'drift';

/** Returns the traits of a feature. */
export function featureTraits({ status }: Feature): readonly FeatureTrait[] {
  const { state } = status ?? {};
  const isChanging = state === 'TurningOn' || state === 'TurningOff';
  const isUnwanted = state === 'Off' || state === 'TurningOff';
  const uses = findCondition(status?.conditions, 'UsesConsistent');
  const holds: Readonly<Record<FeatureTrait, boolean>> = {
    on: state === 'On',
    off: state === 'Off',
    changing: isChanging,
    dangling: isUnwanted && (status?.dangling?.count ?? 0) > 0,
    drift: uses?.reason === 'Drift' || uses?.reason === 'Waived',
  };
  return (Object.keys(holds) as FeatureTrait[]).filter((trait) => holds[trait]);
}
