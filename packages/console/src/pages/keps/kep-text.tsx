import type { TextElement, TextNode } from '@slipway/kep/site';
import { type ComponentChildren, h } from 'preact';
import type { ShownFinding } from '../../feeds/kep-feeds.js';
import { Link } from '../shell/router.js';

interface KepTextProps {
  readonly text: readonly TextNode[];
  readonly findings: readonly ShownFinding[];
}

/** The text of a proposal, block by block, each with the findings of its lines beside it. */
export function KepText({ text, findings }: KepTextProps) {
  const blocks = withoutGaps(text.filter((node) => typeof node !== 'string'));
  const starts = blocks.map(({ line = 0 }) => line);
  const beside = blocks.map((): ShownFinding[] => []);
  for (const finding of findings) {
    beside[
      Math.max(
        0,
        starts.findLastIndex((start) => start <= finding.line),
      )
    ]?.push(finding);
  }
  return (
    <section class="document" aria-label="Text">
      {blocks.length === 0 && (
        <>
          <p class="faint">It has no text that can be shown.</p>
          <Findings findings={findings} />
        </>
      )}
      {blocks.map((block, at) => {
        const found = beside[at] ?? [];
        return (
          <div key={`${block.line}-${block.tag}`} class={found.length > 0 ? 'block block-found' : 'block'}>
            <div class="block-text">{elementOf(block)}</div>
            {found.length > 0 && <Findings findings={found} />}
          </div>
        );
      })}
    </section>
  );
}

/** Authors leave out levels of headings, over which a screen reader stumbles. */
function withoutGaps(blocks: readonly TextElement[]): readonly TextElement[] {
  let last = 1;
  return blocks.map((block) => {
    const level = Number(/^h(\d)$/.exec(block.tag)?.[1] ?? 0);
    if (level === 0) return block;
    last = Math.min(level, last + 1);
    return { ...block, tag: `h${last}` };
  });
}

const severities = { error: 'Error', warn: 'Warning', info: 'Note' } as const;

/** Findings as a list, with the place of each. */
export function Findings({ findings }: { readonly findings: readonly ShownFinding[] }) {
  return (
    <ul class="findings">
      {findings.map(({ rule, severity, message, path, line, isOfText }) => (
        <li key={`${rule} ${path} ${line} ${message}`} class={`finding finding-${severity}`}>
          <span class="tag">
            {rule} {severities[severity]}
          </span>{' '}
          {message}{' '}
          <span class="faint">
            {isOfText ? '' : path} line {line}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Tags that are drawn; a document with others would not be one of ours. */
const drawn = new Set(
  'h2 h3 h4 h5 h6 p ul ol li blockquote pre code em strong s table thead tbody tr th td hr br div'.split(' '),
);

function elementOf(node: TextNode): ComponentChildren {
  if (typeof node === 'string') return node;
  const { tag, id, href, checked, children } = node;
  if (tag === 'input') return <input type="checkbox" disabled checked={checked === true} aria-label="done" />;
  const inner = children.map(elementOf);
  if (tag === 'a') return anchorOf(href, inner);
  if (tag === 'table') return <table class="plain">{inner}</table>;
  return h(drawn.has(tag) ? tag : 'div', id ? { id } : {}, ...inner);
}

function anchorOf(href: string | undefined, inner: ComponentChildren) {
  if (href?.startsWith('/keps/')) return <Link to={href}>{inner}</Link>;
  if (href?.startsWith('#')) return <a href={href}>{inner}</a>;
  if (href === undefined || !/^(?:https?:\/\/|mailto:)/i.test(href)) return <span>{inner}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {inner}
    </a>
  );
}
