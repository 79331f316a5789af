// The example request of an operation, for a shell that knows BASE and the keys.
import type {DescribedOperation} from '../document.js';

const variables: Readonly<Record<string, string>> = {
  writeKey: '$WRITE_KEY',
  secretKey: '$SECRET_KEY',
  adminToken: '$ADMIN_TOKEN',
};

// Longer queries have a line for each parameter, unless there is a body: -G would make a query of it.
const inlineQueryCharactersMax = 24;

export function curlOf(method: string, path: string, operation: DescribedOperation): string {
  const [scheme] = operation.security.flatMap((one) => Object.keys(one));
  const body = operation.requestBody?.content['application/json']?.example;
  const query = queryOf(operation);
  const isInline = body !== undefined || query.toString().length <= inlineQueryCharactersMax;
  // A body makes it a POST.
  const verb = method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`;
  const words = [
    `curl${isInline ? '' : ' -G'}${verb} "$BASE${targetOf(path, operation)}${isInline && query.size > 0 ? `?${query}` : ''}"`,
    ...(isInline ? [] : [...query].map(([name, value]) => `--data-urlencode '${quoted(`${name}=${value}`)}'`)),
    ...(scheme === undefined ? [] : [`-H "Authorization: Bearer ${variables[scheme]}"`]),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${bodyText(body)}'`]),
  ];
  return words.join(' \\\n  ');
}

/** A request of a reader: a path with its query, as `questions.ts` has it. */
export function curlOfPath(pathAndQuery: string): string {
  const [path, query = ''] = pathAndQuery.split('?');
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => `--data-urlencode '${quoted(`${name}=${value}`)}'`,
  );
  return [`curl -G "$BASE${path}"`, ...parameters, '-H "Authorization: Bearer $SECRET_KEY"'].join(' \\\n  ');
}

function targetOf(path: string, {parameters = []}: DescribedOperation): string {
  return parameters.reduce(
    (target, {name, in: place, example}) =>
      place === 'path' ? target.replace(`{${name}}`, encodeURIComponent(String(example))) : target,
    path,
  );
}

/** The request of the story has the parameters with an example. */
function queryOf({parameters = []}: DescribedOperation): URLSearchParams {
  const query = new URLSearchParams();
  for (const {name, in: place, example} of parameters) {
    if (place !== 'query' || example === undefined) continue;
    for (const one of [example].flat()) query.append(name, String(one));
  }
  return query;
}

/** A short body is one line. */
function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  const text = line.length <= 60 ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
  return quoted(text);
}

/** Text within single quotes: a single quote would end it. */
const quoted = (text: string): string => text.replaceAll("'", "'\\''");
