import type { KepDocument, ShownFinding } from '../../feeds/kep-feeds.js';
import type { KepLine } from '../../feeds/proposals.js';
import { State } from '../controls/badges.js';
import { Command } from '../controls/command.js';
import { Missing, Pending } from '../controls/notices.js';
import { useDocument } from '../shell/live.js';
import { Link } from '../shell/router.js';
import { Evidence } from './evidence.js';
import { Findings, KepText } from './kep-text.js';
import { Readiness } from './keps-page.js';

/** One proposal: its facts, its gates in the cluster, its evidence, and its text with the findings beside it. */
export function KepPage({ page }: { readonly page: string }) {
  const { document: shown, problem } = useDocument<KepDocument>(`/api/live/kep?${new URLSearchParams({ page })}`);
  const { line, text = [], findings = [] } = shown ?? {};
  const elsewhere = findings.filter(({ isOfText }) => !isOfText);
  return (
    <>
      <p class="trail">
        <Link to="/keps">KEPs</Link>
      </p>
      <header class="page-head">
        <h1>{line ? `${line.number ? `${line.number} ` : ''}${line.title}` : page}</h1>
      </header>
      <Pending what={page} shown={shown} problem={problem} />
      {shown && !line && (
        <Missing
          title="This proposal does not exist"
          why="It may have been renamed."
          all="/keps"
          link="See all proposals"
        />
      )}
      {shown && line && (
        <div class="sections">
          <Facts line={line} path={shown.path ?? ''} findings={findings} />
          <Gates features={shown.features ?? []} />
          <Evidence evidence={shown.evidence ?? []} line={line} path={shown.path ?? ''} />
          {elsewhere.length > 0 && (
            <section>
              <h2>Findings in other files</h2>
              <Findings findings={elsewhere} />
            </section>
          )}
          <KepText text={text} findings={findings.filter(({ isOfText }) => isOfText)} />
        </div>
      )}
    </>
  );
}

interface FactsProps {
  readonly line: KepLine;
  readonly path: string;
  readonly findings: readonly ShownFinding[];
}

function Facts({ line, path, findings }: FactsProps) {
  const { sig, status, stage, milestone, people, directory } = line;
  const facts = [
    ['Status', status],
    ['Stage', `${stage} ${milestone}`.trim()],
    ['Group', sig],
    ['People', people.join(', ')],
    ['Folder', directory],
    ['Findings', findings.length === 0 ? 'none' : String(findings.length)],
  ];
  return (
    <section class="next">
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Readiness line={line} />
      {findings.length > 0 && (
        <p class="fix">
          In a terminal: <Command text={`slipway kep check ${path}`} />
        </p>
      )}
    </section>
  );
}

function Gates({ features }: { readonly features: NonNullable<KepDocument['features']> }) {
  if (features.length === 0) return null;
  return (
    <section>
      <h2>In this cluster</h2>
      <ul class="lines">
        {features.map(({ gate, key, state }) => (
          <li key={gate}>
            {key ? <Link to={`/features/${key}`}>{gate}</Link> : gate}{' '}
            {state ? <State state={state} /> : <span class="faint">is not reported by any component</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
