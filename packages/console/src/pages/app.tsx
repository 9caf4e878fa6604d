import { useEffect, useState } from 'preact/hooks';
import { FeaturePage } from './features/feature-page.js';
import { FeaturesPage } from './features/features-page.js';
import { KepPage } from './keps/kep-page.js';
import { KepsPage } from './keps/keps-page.js';
import { NodePage } from './nodes/node-page.js';
import { NodesPage } from './nodes/nodes-page.js';
import { NowPage } from './now/now-page.js';
import { NodePullsPage } from './pulls/node-pulls-page.js';
import { PullsPage } from './pulls/pulls-page.js';
import { connectionIs, useConnection } from './shell/live.js';
import { Link, partsOf, useAddress } from './shell/router.js';
import { ask, SignedOutError, signOut } from './shell/session.js';
import { ThemeSwitch } from './shell/theme.js';
import { SignedOut } from './signed-out.js';
import { UpgradePage } from './upgrade/upgrade-page.js';

const places = [
  { path: '/', label: 'Now' },
  { path: '/features', label: 'Features' },
  { path: '/nodes', label: 'Nodes' },
  { path: '/pulls', label: 'Pulls' },
  { path: '/keps', label: 'KEPs' },
  { path: '/upgrade', label: 'Upgrade' },
] as const;

interface About {
  readonly cluster?: string;
  readonly user?: string;
  readonly byToken?: boolean;
}

const askAgainMs = 2_000;

/** The frame around every page. */
export function App({ signInError }: { readonly signInError?: string | undefined }) {
  const { path } = useAddress();
  const connection = useConnection();
  const [about, setAbout] = useState<About>({});
  const isSettled = connection === 'live' && about.cluster !== undefined;
  // Not every page follows something, and each needs to know whether there is a session.
  useEffect(() => {
    if (isSettled) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      Promise.all([ask<About>('/api/about'), ask<About>('/api/sign-in')]).then(
        ([who, how]) => {
          setAbout({ ...who, ...how });
          connectionIs('live');
        },
        (error: unknown) => {
          connectionIs(error instanceof SignedOutError ? 'signed-out' : 'lost');
          timer = setTimeout(look, askAgainMs);
        },
      );
    };
    look();
    return () => clearTimeout(timer);
  }, [isSettled]);
  const here = places.find((place) => place.path !== '/' && path.startsWith(place.path)) ?? places[0];
  useEffect(() => {
    document.title = `${path === '/' ? 'Now' : partsOf(path).at(-1)} · Slipway`;
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <nav class="rail" aria-label="Pages">
        <p class="brand">
          <img src="/assets/icon.svg" alt="" width="24" height="24" />
          Slipway
        </p>
        <ul>
          {places.map((place) => (
            <li key={place.path}>
              <Link to={place.path} current={place === here}>
                {place.label}
              </Link>
            </li>
          ))}
        </ul>
        <div class="whose">
          {about.cluster && (
            <p title="Cluster">
              <span class="faint">on</span> {about.cluster}
            </p>
          )}
          {about.user && (
            <p title="The user that the cluster takes you for">
              <span class="faint">as</span> {about.user}
            </p>
          )}
          {about.byToken && (
            <p>
              <button type="button" class="quiet" onClick={() => void signOut()}>
                Sign out
              </button>
            </p>
          )}
          <ThemeSwitch />
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {connection === 'lost' && (
          <p class="lost" role="status">
            The console does not answer; what is shown may be out of date. Start it again with{' '}
            <code>slipway console</code>: this page goes on by itself once it is there.
          </p>
        )}
        {connection === 'signed-out' && <SignedOut why={signInError} />}
        {/* It keeps asking, so that it goes on once there is a session. */}
        <div hidden={connection === 'signed-out'}>
          <Page path={path} />
        </div>
      </main>
    </div>
  );
}

function Page({ path }: { readonly path: string }) {
  const [, place = '', namespace, name] = partsOf(path);
  if (place === '') return <NowPage />;
  if (place === 'features' && namespace && name) return <FeaturePage namespace={namespace} name={name} />;
  if (place === 'features') return <FeaturesPage />;
  if (place === 'nodes' && namespace) return <NodePage name={namespace} />;
  if (place === 'nodes') return <NodesPage />;
  if (place === 'pulls' && namespace) return <NodePullsPage name={namespace} />;
  if (place === 'pulls') return <PullsPage />;
  if (place === 'keps' && namespace) return <KepPage page={namespace} />;
  if (place === 'keps') return <KepsPage />;
  if (place === 'upgrade') return <UpgradePage />;
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <Link to="/">Go to the start</Link>
      </p>
    </div>
  );
}
