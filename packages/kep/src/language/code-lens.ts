import { type Assessed, isOpen } from '../template/assess.js';
import type { OpenKep } from './open-kep.js';
import { rangeOf, type TextRange } from './text-range.js';

/** A line that an editor shows above a heading. */
export interface CodeLens {
  readonly range: TextRange;
  readonly title: string;
}

/** Above the title and the sections of level 2: how much of what the stage asks for is answered. */
export function codeLenses({ facts: { document, assessed, stage } }: OpenKep): CodeLens[] {
  if (!document) return [];
  return assessed.flatMap(({ wanted, match }) => {
    if (!match || wanted.section.level > 2) return [];
    const parts = assessed.filter((each) => each.demanded && isPart(each, wanted));
    if (parts.length < 2) return [];
    const open = parts.filter(isOpen).length;
    const aim = stage && ` for ${stage}`;
    const title = open === 0 ? `all answered${aim}` : `${open} of ${parts.length} open${aim}`;
    return [{ range: rangeOf(document.lines, match.section.span), title }];
  });
}

function isPart({ wanted }: Assessed, whole: Assessed['wanted']): boolean {
  for (let each: Assessed['wanted'] | undefined = wanted; each; each = each.parent) if (each === whole) return true;
  return false;
}
