// Libraries of other services: the lines in which the address and the key are replaced. docs/clients.md says the rest.
import type {Snippet} from './snippets.js';

/** Host, port and protocol, where a library wants them apart. */
function partsOf(address: string): string {
  const {hostname, port, protocol} = new URL(address);
  return `host: '${hostname}', ${port === '' ? '' : `port: ${port}, `}protocol: '${protocol.slice(0, -1)}'`;
}

export const librariesFor = (address: string, key: string): readonly Snippet[] => [
  {
    name: 'Segment, pages',
    text: `AnalyticsBrowser.load({
  writeKey: '${key}',
  cdnURL: '${address}',
});`,
  },
  {
    name: 'Segment, servers',
    text: `new Analytics({
  writeKey: '${key}',
  host: '${address}',
});`,
  },
  {
    name: 'RudderStack, pages',
    text: `// The build of @rudderstack/analytics-js/bundled
analytics.load('${key}', '${address}', {
  configUrl: '${address}',
});`,
  },
  {
    name: 'RudderStack, servers',
    text: `new RudderAnalytics('${key}', {
  dataPlaneUrl: '${address}',
});`,
  },
  {
    name: 'PostHog, pages',
    text: `posthog.init('${key}', {
  api_host: '${address}',
});`,
  },
  {
    name: 'PostHog, servers',
    text: `new PostHog('${key}', {
  host: '${address}',
});`,
  },
  {
    name: 'Mixpanel, pages',
    text: `mixpanel.init('${key}', {
  api_host: '${address}',
});`,
  },
  {
    name: 'Mixpanel, servers',
    text: `Mixpanel.init('${key}', {
  ${partsOf(address)},
});`,
  },
  {
    name: 'Amplitude, pages',
    text: `amplitude.init('${key}', {
  serverUrl: '${address}/2/httpapi',
  fetchRemoteConfig: false,
  enableDiagnostics: false,
});`,
  },
  {
    name: 'Amplitude, servers',
    text: `amplitude.init('${key}', {
  serverUrl: '${address}/2/httpapi',
});`,
  },
  {
    name: 'Jitsu',
    text: `jitsuAnalytics({
  host: '${address}',
  writeKey: 'millrace:${key}',
});`,
  },
  {
    name: 'OpenPanel',
    text: `new OpenPanel({
  apiUrl: '${address}',
  clientId: '${key}',
});`,
  },
  {
    name: 'Umami',
    text: `<!-- script.js: a copy of Umami's, on your site -->
<script defer src="/script.js"
  data-host-url="${address}"
  data-website-id="${key}"></script>`,
  },
  {
    name: 'Plausible',
    text: `<script defer src="https://plausible.io/js/script.js"
  data-domain="example.com"
  data-api="${address}/api/event?write_key=${key}"></script>`,
  },
];
