import type { FeatureDocument } from '../../feeds/feature-feed.js';
import { State } from '../controls/badges.js';
import { Command } from '../controls/command.js';
import { Missing, Pending } from '../controls/notices.js';
import { Age } from '../controls/when.js';
import { useDocument } from '../shell/live.js';
import { Link } from '../shell/router.js';
import { Components } from './components.js';
import { Conditions, Facts, Past } from './facts.js';
import { FeatureActions } from './feature-actions.js';
import { DanglingObjects } from './objects.js';
import { Tasks } from './tasks.js';

interface FeaturePageProps {
  readonly namespace: string;
  readonly name: string;
}

/** Everything about one feature. */
export function FeaturePage({ namespace, name }: FeaturePageProps) {
  const where = new URLSearchParams({ namespace, name });
  const { document: shown, problem } = useDocument<FeatureDocument>(`/api/live/feature?${where}`);
  const { feature, row, next } = shown ?? {};
  return (
    <>
      <p class="trail">
        <Link to="/features">Features</Link>
      </p>
      <header class="page-head">
        <h1>{feature?.spec.gate ?? name}</h1>
        {row && (
          <p>
            <State state={row.state} />{' '}
            <span class="faint">
              for <Age time={row.since} />
            </span>
          </p>
        )}
        {feature && <FeatureActions feature={feature} />}
      </header>
      <Pending what={name} shown={shown} problem={problem} />
      {shown && !feature && (
        <Missing
          title="This feature does not exist"
          why="It may have been retired."
          all="/features"
          link="See all features"
        />
      )}
      {feature && row && next && (
        <div class="sections">
          <section class={`next${next.fix === undefined ? '' : ' next-needed'}`} aria-label="What comes next">
            <p>
              <strong>Next:</strong> {next.sentence}
            </p>
            {next.fix !== undefined && (
              <p class="fix">
                To fix: <Command text={next.fix} />
              </p>
            )}
          </section>
          <Tasks feature={feature} />
          <Components feature={feature} />
          <DanglingObjects feature={feature} />
          <Facts feature={feature} row={row} />
          <Conditions feature={feature} />
          <Past feature={feature} />
        </div>
      )}
    </>
  );
}
