import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { documentTree, type TextNode, textTags } from './document-tree.js';

const targets = { link: (target: string) => (/^(?:#|https:)/.test(target) ? target : undefined) };
const treeOf = (text: string) => documentTree(parseDocument(text), targets);

/** A tree as `tag#id@line(children)`, to be read. */
function shown(node: TextNode): string {
  if (typeof node === 'string') return JSON.stringify(node);
  const { tag, id, line, href, checked, children } = node;
  const about = `${id ? `#${id}` : ''}${line ? `@${line}` : ''}${href ? ` ${href}` : ''}${checked ? ' checked' : ''}`;
  return `${tag}${about}(${children.map(shown).join(' ')})`;
}

// what an author wrote | what is shown
test.each([
  ['# T\n\nx', 'p@3("x")'],
  ['# T\n\n## A b\n\ntext `code`', 'h2#a-b@3("A b") p@5("text " code("code"))'],
  ['a <!-- secret --> b', 'p@1("a  b")'],
  ['<script>alert(1)</script>', 'p@1("alert(1)")'],
  ['a <img src=x onerror=alert(1)> b<br>c', 'p@1("a " " b" br() "c")'],
  ['<details><summary>s</summary>\n\nt\n\n</details>', 'p@1("s") p@3("t")'],
  ['[a](javascript:alert(1)) [b](https://c.d/)', 'p@1(a("a") " " a https://c.d/("b"))'],
  ['![p](https://e.f/t.png)', 'p@1("[picture: p]")'],
  ['- [x] done\n- [ ] open\n- [z]', 'ul@1(li@1(input checked() " done") li@2(input() " open") li@3("[z]"))'],
  ['- [x] a\n\n- b', 'ul@1(li@1(p@1(input checked() " a")) li@3(p@3("b")))'],
  ['```go\nx < 1\n```', 'pre@1("x < 1\\n")'],
  ['| a |\n|---|\n| b |', 'table@1(thead@1(tr@1(th("a"))) tbody@3(tr@3(td("b"))))'],
  ['> *q*\n\n---', 'blockquote@1(p@1(em("q"))) hr@3()'],
])('documentTree() of %j', (text, tree) => {
  expect(treeOf(text).map(shown).join(' ')).toBe(tree);
});

test('documentTree() has known tags only, and leads to no other place than targets say, whatever the text', () => {
  const words = [
    '<a href="javascript:x">',
    '</a>',
    '<svg onload=x>',
    '[a](',
    'javascript:x)',
    '# ',
    '- [ ] ',
    '> ',
    '`',
    '\n',
    '\n\n',
    '|',
    'x',
    '*',
  ];
  const check = (node: TextNode): void => {
    if (typeof node === 'string') return;
    expect(textTags.has(node.tag)).toBe(true);
    expect(Object.keys(node).every((key) => ['tag', 'line', 'id', 'href', 'checked', 'children'].includes(key))).toBe(
      true,
    );
    if (node.href !== undefined) expect(node.href).toMatch(/^(?:#|https:)/);
    node.children.forEach(check);
  };
  fc.assert(fc.property(fc.array(fc.constantFrom(...words)), (text) => treeOf(text.join('')).forEach(check)));
});
