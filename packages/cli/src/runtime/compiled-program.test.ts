import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../testing/test-folder.js';
import { compiledCodePath, compiledHeaderBytes, runCompiled, runProgram } from './compiled-program.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'program.cjs');
});

const header = (digit: string) => `//${digit.repeat(compiledHeaderBytes - 3)}\n`;
const programOf = (digit: string) =>
  `${header(digit)}(function(exports,require,__filename){exports.digit='${digit}';exports.base=require('node:path').basename(__filename)})`;

/** Writes a program and the code for it. */
function compile(digit: string): void {
  writeFileSync(path, programOf(digit));
  const { script } = runProgram(path, programOf(digit));
  writeFileSync(compiledCodePath(path), Buffer.concat([Buffer.from(header(digit)), script.createCachedData()]));
}

test('runCompiled() runs a program with the code that was made of it', () => {
  compile('1');
  const program = runCompiled(path);
  expect(program?.script.cachedDataRejected).toBe(false);
  expect(program?.exports).toEqual({ digit: '1', base: 'program.cjs' });
});

test('runCompiled() runs nothing when the code is of another program of the same length, or when a file is missing', () => {
  compile('1');
  writeFileSync(path, programOf('2'));
  expect(runCompiled(path)).toBeUndefined();
  compile('2');
  expect(runCompiled(path)?.exports).toMatchObject({ digit: '2' });
  rmSync(compiledCodePath(path));
  expect(runCompiled(path)).toBeUndefined();
  compile('3');
  rmSync(path);
  expect(runCompiled(path)).toBeUndefined();
});

test('runCompiled() compiles a program whose code is incomplete', () => {
  compile('1');
  const code = readFileSync(compiledCodePath(path));
  for (const bytes of [compiledHeaderBytes, compiledHeaderBytes + 9, code.length - 1]) {
    writeFileSync(compiledCodePath(path), code.subarray(0, bytes));
    expect(runCompiled(path)?.exports, String(bytes)).toMatchObject({ digit: '1' });
  }
});
