import type { ChangePreview, PlannedTask } from '@slipway/features';

const meaning: Readonly<Record<string, string>> = {
  CheckDependencies: 'check that the gates it depends on are on',
  CheckDependents: 'check that no gate that is on depends on it',
  Publish: 'publish the value that processes follow',
  WaitForUses: 'wait until every process that should report has reported it',
  ClearField: 'clear the field from the objects that use it, keeping a backup',
  VerifyClean: 'look twice that nothing uses it any more',
};

/** A plan as a person reads it before agreeing to it. */
export function renderPlan(preview: ChangePreview): string {
  const { feature, to, change, tasks, inUse, rollouts, definition, needsConsent } = preview;
  const { gate } = feature.spec;
  if (!definition) return `${gate} is only reported: no definition says how to turn it ${to.toLowerCase()}.\n`;
  if (change === 'same' && tasks.length === 0) return `${gate} is ${to} already.\n`;
  const lines = [
    change === 'supersede' ? `Turning ${gate} ${to} instead of what is under way:` : `Turning ${gate} ${to}:`,
    ...tasks.map(
      (task, at) =>
        `  ${at + 1}. ${task.name}: ${meaning[task.name] ?? meaning[task.kind] ?? task.kind}${target(task)}`,
    ),
  ];
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

function target({ args }: PlannedTask): string {
  const { resource, path } = args ?? {};
  return typeof resource === 'string' ? ` (${resource}${typeof path === 'string' ? ` ${path}` : ''})` : '';
}
