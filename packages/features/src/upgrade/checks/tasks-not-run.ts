import { wasPassedOver } from '../../lifecycle/maintenance.js';
import { versionPlan } from '../../lifecycle/version-tasks.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** What an author wants done on the way is done while the version that is left can still do it, or never. */
export const tasksNotRun: UpgradeCheck = {
  id: 'U011',
  severity: 'blocker',
  summary: 'A task that a definition declares for this move has not run',
  check(view, report) {
    for (const [gate, definition] of view.definitions) {
      const { spec, status } = view.features.find((feature) => feature.spec.gate === gate) ?? {};
      const { from, to } = view;
      const plan = versionPlan(definition, { from, to, request: spec?.targetRequest }, () => false);
      const { maintenance } = status ?? {};
      const done = maintenance?.plan === plan?.digest ? (maintenance?.completed ?? []) : [];
      const open = (plan?.before ?? []).filter(
        ({ name }) => !done.some((task) => task.name === name && !wasPassedOver(task)),
      );
      const skipped = open.some(({ name }) => done.some((task) => task.name === name));
      if (open.length === 0) continue;
      report({
        gate,
        message: `not run yet, and due before v${view.to}: ${open.map(({ name }) => name).join(', ')}`,
        fix: skipped
          ? `let cleanup of the Feature be other than Never, then: slipway upgrade prepare --to v${view.to} --yes`
          : `slipway upgrade prepare --to v${view.to} --yes`,
      });
    }
  },
};
