import type { Status } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { programs } from './commands.js';
import { matchesPattern } from './expand-words.js';
import { isWhole } from './parse-script.js';
import { PodDisk } from './pod-disk.js';
import { programNames } from './program-names.js';
import { exitCodeOf } from './run-in-container.js';

async function run(...command: string[]): Promise<[out: string, err: string, code: number | undefined]> {
  const container = { name: 'main', image: 'a', securityContext: { runAsUser: 7 } };
  const pod = aPod('web', { spec: { containers: [container] }, status: {} });
  const written = { out: '', err: '' };
  const terminal: Terminal = {
    gone: new AbortController().signal,
    size: undefined,
    listen: () => {},
    stdout: (bytes) => {
      written.out += Buffer.from(bytes);
    },
    stderr: (bytes) => {
      written.err += Buffer.from(bytes);
    },
    finish: (_: Partial<Status>) => {},
  };
  const around = { lookUp: () => undefined, services: () => [], token: async () => '' };
  const view = { pod, container, run: '1', disk: new PodDisk(), clock: new ManualClock(), ...around };
  const code = await exitCodeOf(view, { command, stdin: false, tty: false }, terminal);
  return [written.out, written.err, code];
}

// script | output | exit code
/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are for the shell */
test.each([
  ['if [ -f /none ]; then echo a; elif [ -d /etc ]; then echo b; else echo c; fi', 'b\n', 0],
  ['if false; then echo a; fi; echo $?', '0\n', 0],
  ['if [[ -r /tmp/foo ]]\nthen\n exit 0\nelse\n touch /tmp/foo\n exit 42\nfi', '', 42],
  ['i=0; while [ $i -lt 3 ]; do echo $i; i=$((i + 1)); done', '0\n1\n2\n', 0],
  ['i=3; until [ $i -eq 0 ]; do i=$(( $i - 1 )); [ $i = 1 ] && continue; echo $i; done', '2\n0\n', 0],
  ['for x in a "b c" $(seq 2); do echo "<$x>"; done', '<a>\n<b c>\n<1>\n<2>\n', 0],
  ['for x in 1 2 3; do for y in 1 2; do [ $x = 2 ] && break 2; echo $x$y; done; done', '11\n12\n', 0],
  ['case web-0 in db-*|x) echo a;; web-[0-9]) echo b;; *) echo c; esac', 'b\n', 0],
  ['f() { echo "$1-$#"; return 3; }; f a b; echo $?', 'a-2\n3\n', 0],
  ['(exit 4); echo $?; (A=1); echo "[$A]"', '4\n[]\n', 0],
  ['{ echo a; echo b; } > /tmp/f; cat /tmp/f', 'a\nb\n', 0],
  ['echo a > /tmp/f; echo b | cat /tmp/f - /tmp/f', 'a\nb\na\n', 0],
  ['echo a | tee /tmp/f; echo b | tee -a /tmp/f; cat /tmp/f', 'a\nb\na\nb\n', 0],
  ['while read a b; do echo "$b $a"; done < /none', '', 1],
  ['printf "1 2\\n3 4\\n" | while read a b; do echo "$b $a"; done', '2 1\n4 3\n', 0],
  ['! true; echo $?; ! false && echo yes', '1\nyes\n', 0],
  ['set -e; false || true; if false; then :; fi; false; echo never', '', 1],
  ['trap "echo bye" EXIT; exit 5', 'bye\n', 5],
  ['echo later & wait; echo $?', 'later\n0\n', 0],
  ['A=1 env | grep ^A=; echo "[$A]"', 'A=1\n[]\n', 0],
  ['A="x  y"; echo $A; echo "$A"; B=; echo $B end', 'x y\nx  y\nend\n', 0],
  ['A=$(false); echo $?; A=`echo hi`; echo $A', '1\nhi\n', 0],
  [
    'f=/a/b.tar.gz; echo ${f##*/} ${f%/*} ${f%.*} ${f#/} ${#f} ${g:-no} ${f:+yes} ${h:=set} $h',
    'b.tar.gz /a /a/b.tar a/b.tar.gz 11 no yes set set\n',
    0,
  ],
  ['exit $(( 32767 / 16384 ))', '', 1],
  ['exit $(( 7 % 4 * (2 + 1) - 8 == 1 && !0 ))', '', 1],
  ['if [ $(expr 3 % 2) -ne 0 ]; then exit 1; else exit 0; fi', '', 1],
  ['eval "A=2; echo \\$A"; exec echo done; echo never', '2\ndone\n', 0],
  ['printf "%s-%03d|%-3s|\\n" a 7 b c 8 d; echo -ne "a\\tb"; echo -e "\\101"', 'a-  7|b  |\nc-  8|d  |\na\tbA\n', 0],
  ['printf "b\\na\\nb\\n" | sort -u | wc -l; printf "10\\n9\\n" | sort -n | head -n 1', '2\n9\n', 0],
  ['printf "a1\\nb\\n" | grep -v "[0-9]"; printf x | grep -q y; echo $?', 'b\n1\n', 0],
  ['echo x > /tmp/a; cp /tmp/a /tmp/b; mv /tmp/b /tmp/c; cat /tmp/c; ls /tmp', 'x\na\nc\n', 0],
  ['test ! -e /none -a 3 -gt 2 && [ "" = "" ] && [[ abc == a* ]] && echo all', 'all\n', 0],
  [
    'printf "0123456789abcdefgh\\000" | hexdump -C; printf "" | hexdump -C',
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n' +
      '00000010  67 68 00                                          |gh.|\n00000013\n',
    0,
  ],
  [
    `echo a > /tmp/f; count=$(echo b >> /tmp/f ; wc -l /tmp/f | awk {'print $1'}); echo $count; echo x y z | awk '{print $3, $NF}'`,
    '2\nz z\n',
    0,
  ],
  ['id -u; id; whoami', '7\nuid=7 gid=0(root) groups=0(root)\n', 1],
])('sh -c %j', async (script, out, code) => {
  /* biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are for the shell */
  const ran = await run('sh', '-c', script);
  expect([ran[0], ran[2]], ran[1]).toEqual([out, code]);
});

test('a script has parameters, and sh -e ends at the first failure', async () => {
  expect(await run('sh', '-c', 'echo $0 $# "$@" $2', 'me', 'a b', 'c')).toEqual(['me 2 a b c c\n', '', 0]);
  expect(await run('sh', '-ec', 'echo a; false; echo b')).toEqual(['a\n', '', 1]);
});

// script | what is said of it
test.each([
  ['if true; then', 'syntax error: unexpected end of file (expecting "fi")'],
  ['fi', 'syntax error: unexpected "fi"'],
  ['echo $((1 / 0))', 'divide by zero'],
  ['echo "a', 'syntax error: unterminated quoted string'],
  ['f() { f; }; f', 'too many functions in each other'],
  ['case x in x) echo', 'syntax error: unexpected end of file (expecting "esac")'],
])('a script that cannot be run says so: %j', async (script, message) => {
  expect(await run('sh', '-c', script)).toEqual(['', `sh: ${message}\n`, 2]);
});

test.each(['if true', 'while :; do', 'f() {', 'echo "a', 'echo $(', 'case a in', 'true &&'])(
  'more has to follow: %j',
  (begun) => {
    expect(isWhole(begun)).toBe(false);
  },
);

test('matchesPattern() finds what it was made of, and needs no time for many stars', () => {
  const piece = fc.constantFrom('*', '?', '[a-c]', '[!x]', 'a', 'b', '.');
  const instance: Record<string, string> = { '*': 'zz', '?': 'q', '[a-c]': 'b', '[!x]': 'y' };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.map((each) => instance[each] ?? each).join('');
      expect(matchesPattern(text, pieces.join(''))).toBe(true);
      expect(matchesPattern(`${text}#`, `${pieces.join('')}%`)).toBe(false);
    }),
  );
  expect(matchesPattern('a'.repeat(2000), '*a'.repeat(100).concat('b'))).toBe(false);
});

test('programNames has the names of all programs', () => {
  expect([...programNames].sort()).toEqual(Object.keys(programs).sort());
});
