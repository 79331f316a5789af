// The example request of an operation, to be pasted into a shell that knows BASE and the keys.
import type {DescribedOperation} from '../document.js';

const variables: Readonly<Record<string, string>> = {
  writeKey: '$WRITE_KEY',
  secretKey: '$SECRET_KEY',
  adminToken: '$ADMIN_TOKEN',
};

export function curlOf(method: string, path: string, operation: DescribedOperation): string {
  const [scheme] = operation.security.flatMap((one) => Object.keys(one));
  const body = operation.requestBody?.content['application/json'].example;
  const words = [
    `curl${method === 'GET' || body !== undefined ? '' : ` -X ${method}`} "$BASE${targetOf(path, operation)}"`,
    ...(scheme === undefined ? [] : [`-H "Authorization: Bearer ${variables[scheme]}"`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${bodyText(body)}'`]),
  ];
  return words.join(' \\\n  ');
}

function targetOf(path: string, {parameters = []}: DescribedOperation): string {
  const query = new URLSearchParams();
  let target = path;
  for (const {name, in: place, example} of parameters) {
    if (example === undefined) continue;
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(String(example)));
    else for (const one of [example].flat()) query.append(name, String(one));
  }
  return query.size === 0 ? target : `${target}?${query}`;
}

/** Short bodies on one line. No single quote: the shell would end the text there. */
function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  const text = line.length <= 60 ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  return text.replaceAll("'", "'\\''");
}
