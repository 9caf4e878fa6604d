import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long. Vitest begins with the large ones, and the last of these would run while all others have ended. */
const isLong =
  /\/simulation\/|\/replay(-kubectl)?\.test|\/commands\/feature\/lifecycle|random-walk|workload-walk|clock-jumps|(out-of-reach|declared-features|-without-rights)\.test|scenarios\/(documents|install|node-verbs|pulls|release|report-check|up-and-down|feature-(agreement|dynamic|lifecycle|remedies|tasks))\.test/;

/**
 * As Vitest has it, except that scenarios come first, and the long files of each project. Scenarios wait for much of their
 * time: while the last of them do, unit tests keep the cores busy, and the last of those are small.
 */
export default class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const rank = ({ project, moduleId }: TestSpecification) =>
      (project.name === 'e2e' ? 0 : 2) + (isLong.test(moduleId) ? 0 : 1);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
