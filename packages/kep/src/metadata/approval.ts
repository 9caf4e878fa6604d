import { parseYamlTree, type YamlError, type YamlNode } from '@slipway/safe-yaml';
import { Lines } from '../document/lines.js';
import { type Field, maxYamlBytes } from './kep-yaml.js';
import { stages } from './stage.js';

/** A production readiness file: who approved which stage. */
export interface Approval {
  readonly text: string;
  readonly lines: Lines;
  readonly problems: readonly YamlError[];
  readonly number: Field<string> | undefined;
  /** Stage to approver; the approver is undefined when none is named. */
  readonly stages: ReadonlyMap<string, Field<string> | undefined>;
  readonly root: YamlNode | undefined;
}

/** Reads `keps/prod-readiness/<group>/<number>.yaml`. Never throws. */
export function readApproval(text: string): Approval {
  const { root, problems } = parseYamlTree(text, { maxBytes: maxYamlBytes, maxDepth: 64, maxAliases: 20 });
  const found = new Map<string, Field<string> | undefined>();
  let number: Field<string> | undefined;
  for (const { key, value } of root?.kind === 'map' ? root.entries : []) {
    if (key.source === 'kep-number') {
      if (value.kind === 'scalar' && value.value !== null)
        number = { value: value.source, start: value.start, end: value.end };
    } else if ((stages as readonly string[]).includes(key.source)) {
      const approver =
        value.kind === 'map' ? value.entries.find((entry) => entry.key.source === 'approver')?.value : undefined;
      const name =
        approver?.kind === 'scalar' && approver.value !== null && approver.source !== '' ? approver : undefined;
      found.set(key.source, name && { value: name.source, start: name.start, end: name.end });
    }
  }
  return { text, lines: new Lines(text), problems, number, stages: found, root };
}
