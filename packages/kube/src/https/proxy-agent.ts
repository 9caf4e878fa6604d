import type { Agent } from 'node:http';
import type { AgentOptions } from 'node:https';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';
import { SocksProxyAgent } from 'socks-proxy-agent';

/** An agent whose connections go through a proxy: `http:`, `https:` or `socks5:`. */
export function proxyAgent(proxy: string, protocol: string, options: AgentOptions): Agent {
  if (proxy.startsWith('socks')) return new SocksProxyAgent(socksUrl(proxy), options);
  return protocol === 'http:' ? new HttpProxyAgent({ ...options, proxy }) : new HttpsProxyAgent({ ...options, proxy });
}

/** As in Go, the proxy resolves host names. */
function socksUrl(proxy: string): string {
  return proxy.replace(/^socks5:/, 'socks5h:');
}
