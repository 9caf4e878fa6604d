import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long. Vitest begins with the large ones, and the last of these would run while all others have ended. */
const isLong =
  /\/simulation\/|\/replay(-kubectl)?\.test|\/commands\/feature\/lifecycle|random-walk|workload-walk|scenarios\/(documents|install|node-verbs|pulls|release|report-check|feature-(remedies|tasks|dynamic))\.test/;

/** As Vitest has it, except that the long files of a project come first. */
export default class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * projects.indexOf(project.name) + (isLong.test(moduleId) ? 0 : 1);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
