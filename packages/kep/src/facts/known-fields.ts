import type { Field, KepYaml } from '../metadata/kep-yaml.js';
import { kepKind } from './field-kinds.js';

/** The fields of `kep.yaml`. */
export const knownFields: ReadonlySet<string> = new Set(
  typeof kepKind === 'object' && 'fields' in kepKind ? Object.keys(kepKind.fields) : [],
);

/** What the template of `kep.yaml` has for examples. */
export const templateValues: ReadonlySet<string> = new Set([
  'KEP Template',
  'NNNN',
  '@jane.doe',
  '@alice.doe',
  '@oscar.doe',
  'sig-xyz',
  'sig-aaa',
  'sig-bbb',
  'MyFeature',
  'my_feature_metric',
  '/keps/sig-aaa/1234-we-heard-you-like-keps',
  '/keps/sig-bbb/2345-everyone-gets-a-kep',
  '/keps/sig-ccc/3456-replaced-kep',
]);

/** All milestones of a proposal. */
export function milestoneFields(yaml: KepYaml): readonly Field<string>[] {
  const latest = yaml.one('latest-milestone');
  return [...(latest ? [latest] : []), ...yaml.milestones.values()];
}
