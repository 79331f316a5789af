// What is one person's, by its name or by its form.
import {isIP} from 'node:net';

const wordsOfPeople =
  /e-?mail|phone|mobile|whatsapp|contact|passport|iban|(?:^|[ _.-])(?:tel|ssn|ip)(?:$|[ _.-]|addr)|(?:user|anonymous|distinct|customer|account|client|member|person|visitor|device|patient|employee)[ _-]?(?:id|no|number)(?:$|[^a-z])|(?:user|first|last|full|sur|given|family|nick|display|screen|login|customer|account|person)[ _-]?name|(?:street|postal|home|billing|shipping|delivery|ip|remote)[ _-]?addr/i;
const camelIp = /[a-z]Ip$/;
const email = /[^\s@]+@[^\s@]+\.[^\s@]+/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** With a country's code, or in groups with a leading zero, or in the groups of North America. */
const phone = /^(?:(?:\+|00)[1-9]|\(?0[1-9])[\d ()./-]{5,20}\d$|^(?:1[ .-])?\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}$/;

/** Whether the name of a property or trait says that it tells people apart. */
export const isWordOfPeople = (name: string, isTrait: boolean): boolean =>
  wordsOfPeople.test(name) || camelIp.test(name) || (isTrait && /^(?:.*\.)?name$/i.test(name));

/** Whether a value has a form of people's: an e-mail address, a phone number, an IP address, a UUID. */
export const isOfPerson = (value: string): boolean =>
  email.test(value) || phone.test(value.trim()) || isIP(value.trim()) !== 0 || uuid.test(value.trim());

export const isTraitOfPerson = (trait: string, value: string): boolean =>
  isWordOfPeople(trait, true) || isOfPerson(value);
