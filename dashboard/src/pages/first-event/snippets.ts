// The first event from where people write code. Each snippet is whole: copied and run, it sends one event.

export interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Placeholder of a key. */
export const noKey = 'YOUR_WRITE_KEY';

export const snippetsFor = (address: string, key: string): readonly Snippet[] => [
  {
    name: 'curl',
    text: `curl -X POST ${address}/v1/events \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"event":"signup","userId":"ada","properties":{"from":"curl"}}'`,
  },
  {
    name: 'Web page',
    text: `<script defer src="${address}/sdk.js" data-key="${key}"></script>`,
  },
  {
    name: 'Node',
    text: `const answer = await fetch('${address}/v1/events', {
  method: 'POST',
  headers: {Authorization: 'Bearer ${key}', 'Content-Type': 'application/json'},
  body: JSON.stringify({event: 'signup', userId: 'ada', properties: {from: 'node'}}),
});
console.log(answer.status, await answer.text());`,
  },
  {
    name: 'Python',
    text: `import json, urllib.request

request = urllib.request.Request(
    '${address}/v1/events',
    data=json.dumps({'event': 'signup', 'userId': 'ada', 'properties': {'from': 'python'}}).encode(),
    headers={'Authorization': 'Bearer ${key}', 'Content-Type': 'application/json'},
)
print(urllib.request.urlopen(request).read().decode())`,
  },
];
