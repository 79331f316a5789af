// A service with the last weeks of the example shop in it, today so far among them.
import {Player} from '../../tools/demo/player.js';
import {Shop} from '../../tools/shop/shop.js';
import {ShopTruth} from '../../tools/shop/truth.js';
import {Client, query} from './http.js';
import type {Service} from './service.js';
import {until} from './until.js';

const dayMs = 86_400_000;
const days = 30;

/** Resolves when reports have it; who is known may be joined a moment later. @returns what is right about it */
export async function playShop(service: Service, people: number): Promise<ShopTruth> {
  const nowMs = Date.now();
  const startMs = Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs;
  const player = new Player({
    baseUrls: [service.baseUrl],
    key: service.writeKey,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  const entries = [...new Shop({seed: 5, people, days, startMs}).entriesUntil(nowMs)];
  const truth = new ShopTruth();
  for (const entry of entries) truth.note(entry);
  await player.play(entries.values());
  player.close();
  const sentMs = Date.now();
  const reader = new Client(service.baseUrl, service.secretKey);
  await until('the shop is in reports', async () => {
    const {headers} = await reader.get(`/v1/names?${query({from: new Date(startMs).toISOString()})}`);
    return Date.parse(String(headers['report-as-of'])) >= sentMs;
  });
  return truth;
}
