import { describe, test } from 'vitest';
import { type Block, holdsCommands, readBlocks, runnableDocuments } from '../../tools/document-blocks.js';
import { needs, type PartName } from '../../tools/real-parts.js';
import { nodeWithRuntime } from '../support/node-with-runtime.js';
import { runDocument, type Stage } from '../support/run-document.js';

const stages: Record<string, (folder: string) => Promise<Stage>> = {
  'docs/guides/limit-image-pulls.md': nodeWithRuntime,
  'packages/image-pulls/README.md': nodeWithRuntime,
};

const programs: readonly (readonly [RegExp, PartName])[] = [
  [/\bkubectl\b/, 'kubectl'],
  [/\bpython3\b/, 'Python'],
  [/\bcontainerd\b/, 'containerd'],
];

const isRun = (block: Block) => holdsCommands(block) && block.notRun === undefined;
const documents = runnableDocuments().filter((path) => readBlocks(path).some(isRun));

describe.concurrent('every command of a document does what the document says', () => {
  test.for(documents)('%s', { timeout: 300_000 }, async (path, context) => {
    const text = readBlocks(path)
      .filter(isRun)
      .map((block) => block.text)
      .join();
    for (const [program, part] of programs) if (program.test(text)) needs(context, part);
    await runDocument(path, stages[path]);
  });
});
