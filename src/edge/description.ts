// The description of the service (openapi/): the build writes its documents, and no start makes them.

import {version} from '../version.js';
import {routes} from './all-routes.js';
import {describeService, type OpenApiDocument} from './openapi/document.js';
import {documentationPage} from './openapi/page/page.js';
import {prefixMark} from './openapi/routes.js';
import {schemasOfAnswers} from './openapi/schemas.js';
import {servedForm} from './openapi/served.js';

/** A route without a description fails here. */
export const description = describeService(routes, version);

/** Texts by the names of their files, with `prefixMark` for the prefix of the service. */
export function descriptionFiles(): Readonly<Record<string, string>> {
  const marked: OpenApiDocument = {
    ...description,
    servers: description.servers.map((server) => ({...server, url: prefixMark})),
  };
  return {
    'openapi.json': JSON.stringify(servedForm(marked, schemasOfAnswers)),
    'docs.html': documentationPage(marked),
    // For the tables of docs/api (scripts/documents.mjs).
    'schemas.json': JSON.stringify({components: {schemas: description.components.schemas}}),
  };
}
