import type { ChangePreview, ConsentedObjects, PlannedTask } from '@slipway/features';
import { planLines } from '@slipway/features/views';

/** A plan as a person reads it before agreeing to it. */
export function renderPlan(preview: ChangePreview): string {
  const { feature, to, change, tasks, objects, inUse, rollouts, definition, needsConsent } = preview;
  const { gate } = feature.spec;
  if (!definition) return `${gate} is only reported: no definition says how to turn it ${to.toLowerCase()}.\n`;
  if (change === 'same' && tasks.length === 0) return `${gate} is ${to} already.\n`;
  const title = change === 'supersede' ? `Turning ${gate} ${to} instead of what is under way` : `Turning ${gate} ${to}`;
  const lines = [`${title}:\n${renderTasks(tasks, objects)}`.trimEnd()];
  if (inUse) {
    lines.push(`Objects that use it now: ${inUse.count}${inUse.complete ? '' : ' or more'}`);
    for (const { resource, namespace, name, path } of inUse.samples) {
      lines.push(`  ${resource} ${namespace ? `${namespace}/` : ''}${name}: ${path}`);
    }
    if (inUse.count > inUse.samples.length) lines.push(`  and ${inUse.count - inUse.samples.length} more`);
  }
  if (rollouts > 0) lines.push(`Workloads that will replace their pods: ${rollouts}`);
  if (needsConsent) lines.push('The plan changes objects of users, so it needs your consent.');
  return `${lines.join('\n')}\n`;
}

/** The tasks of a plan by number, with how many objects each changes where that was counted. */
export function renderTasks(tasks: readonly PlannedTask[], objects: readonly ConsentedObjects[]): string {
  const lines = planLines(tasks, objects).map(({ name, does, count, isUncounted }, at) => {
    const unknown = isUncounted ? ': objects cannot be counted, only the program it runs knows them' : '';
    const counted = count === undefined ? unknown : `: ${count} object${count === 1 ? '' : 's'}`;
    return `  ${at + 1}. ${name}: ${does}${counted}\n`;
  });
  return lines.join('');
}
