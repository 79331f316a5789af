// Forms of values that belong to people.
import {isIP} from 'node:net';

const email = /[^\s@]+@[^\s@]+\.[^\s@]+/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** With a country's code, or in groups with a leading zero, or in the groups of North America. */
const phone = /^(?:(?:\+|00)[1-9]|\(?0[1-9])[\d ()./-]{5,20}\d$|^(?:1[ .-])?\(?[2-9]\d\d\)?[ .-]\d{3}[ .-]\d{4}$/;

/** An e-mail address or a phone number. */
export const isAddressOfPerson = (value: string): boolean => email.test(value) || phone.test(value.trim());

/** An e-mail address, a phone number, an IP address or a UUID. */
export const isOfPerson = (value: string): boolean =>
  isAddressOfPerson(value) || isIP(value.trim()) !== 0 || uuid.test(value.trim());
