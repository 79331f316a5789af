// Health and readiness.
import {z} from 'zod';

export const healthAnswer = z.strictObject({
  status: z.literal('ok'),
  durability: z.enum(['power-cut', 'process-crash']).describe('What an acknowledged event survives.'),
  version: z.string(),
  commit: z.string().describe('Commit that it was built from; `unknown` outside a checkout.'),
});

export const readinessAnswer = z.strictObject({
  status: z.enum(['ready', 'not_ready']),
  reasons: z.array(z.string()).describe('Why not, in words.'),
  warnings: z
    .array(z.string())
    .describe('Problems that an operator should know, and that another machine would have, too.'),
  notes: z.array(z.string()).describe('Conditions that are expected and pass by themselves.'),
});
