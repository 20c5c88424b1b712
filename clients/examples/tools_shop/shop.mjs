// Tools of a small shop for Helpdesk's agent, in JavaScript: an order lookup, an address change and a refund.
//
//     npm install ./clients/javascript
//     HELPDESK_KEY=svc_key_… PORT=8000 node shop.mjs
//
// With Express: app.all("/tools", tools.node). `handler` serves a Lambda function URL; there, pass a store of your own
// that all its instances share. Add the address as a tool endpoint and sync it.

import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

import { FileStore, Refused, Toolbox } from "helpdesk-webhooks/tools";

export const tools = new Toolbox({
  key: process.env.HELPDESK_KEY,
  store: new FileStore(process.env.CALLS ?? "calls"),
});
export const handler = tools.lambda;

// Your database. The keys are your IDs of customers: `user.metadata.externalId` of the messages that your server sends.
// Amounts are in cents.
const ORDERS = new Map([
  ["customer-1", [{ number: "A-1001", status: "packed", total: 4900, refunded: 0, address: { city: "Leeds" } }]],
  ["customer-2", [{ number: "A-1002", status: "sent", total: 1250, refunded: 0, address: { city: "York" } }]],
]);

const number = { type: "string", description: "The order's number, such as A-1001." };
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Find an order of the visitor, and never another's: the model chooses the number, not who asks. */
function own(wanted, context) {
  // Known by an e-mail address alone, which anyone can type.
  if (!context.visitor.externalId) throw new Refused("The visitor is not signed in.");
  const order = (ORDERS.get(context.visitor.externalId) ?? []).find((each) => each.number === wanted);
  if (order === undefined) throw new Refused(`The visitor has no order ${wanted}.`);
  return order;
}

tools.add({
  name: "find_order",
  description: "Find an order of the visitor: its status, total and what was refunded, in cents, and its address.",
  risk: "low",
  requiresIdentity: true,
  input: object({ number }),
  run: (input, context) => own(input.number, context),
});

tools.add({
  name: "change_address",
  title: "Change an order's address",
  description: "Change where an order of the visitor goes. Possible until the order is sent.",
  risk: "medium",
  requiresIdentity: true,
  input: object({
    number,
    address: object({ street: { type: "string" }, city: { type: "string" }, postcode: { type: "string" } }),
  }),
  run(input, context) {
    const order = own(input.number, context);
    if (order.status === "sent") throw new Refused("The order was sent already. Offer to pass this to the team.");
    order.address = input.address;
    console.log(`${order.number} goes to ${order.address.city} now (call ${context.callId})`);
    return order;
  },
});

tools.add({
  name: "refund",
  description: "Refund a part or all of an order of the visitor. A person of the team approves each refund.",
  risk: "high",
  requiresIdentity: true,
  input: object({
    number,
    amount: { type: "integer", minimum: 1, description: "In cents, at most what was paid and not refunded yet." },
  }),
  run(input, context) {
    const order = own(input.number, context);
    const left = order.total - order.refunded;
    if (input.amount > left) throw new Refused(`Only ${left} cents can be refunded.`);
    order.refunded += input.amount;
    console.log(`${order.number} was refunded ${input.amount} cents (call ${context.callId})`);
    return order;
  },
});

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  // For this machine only: put a server with TLS in front of it.
  const server = createServer(tools.node).listen(Number(process.env.PORT ?? 8000), "127.0.0.1", () => {
    console.log(`Tools at http://127.0.0.1:${server.address().port}/`);
  });
}
