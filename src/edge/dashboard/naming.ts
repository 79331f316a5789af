// What names a deleted person, for the admin who decides about it on the page of the receipt.
import {anyText, required} from '../query/parameters.js';
import {readQuery} from '../query/query.js';
import type {Handle} from '../route.js';
import {namedByOf, titleOf} from '../routes/named-by.js';
import type {NamingAnswer} from './answers/naming.js';

const form = {deletion: required(anyText, {description: 'The id of the deletion.'})};

export const readNaming: Handle = async (front, exchange) => {
  const {deletion} = readQuery(exchange.query, form);
  const naming = await namedByOf(front, deletion);
  const answer: NamingAnswer = {naming: naming.map((one) => ({...one, title: titleOf(front, one) ?? null}))};
  exchange.json('200 OK', JSON.stringify(answer));
};
