/** Why a card was declined, in the provider's words: code, decline code and message. */
const FAILURES = {
  card_declined: { declineCode: "generic_decline", message: "Your card was declined." },
  insufficient_funds: { declineCode: "insufficient_funds", message: "Your card has insufficient funds." },
  expired_card: { declineCode: "expired_card", message: "Your card has expired." },
  incorrect_cvc: { declineCode: "incorrect_cvc", message: "Your card's security code is incorrect." },
  processing_error: { declineCode: "processing_error", message: "An error occurred while processing your card." },
  authentication_required: {
    declineCode: "authentication_required",
    message: "Your card was declined. This transaction requires authentication.",
  },
} as const;

/** The codes by which seeded payments fail. */
export const failureCodes = Object.keys(FAILURES);

/** The provider's words for a failure code. `insufficient_funds` is a decline, as with the provider. */
export const describeFailure = (failureCode: string) => {
  const known = Object.entries(FAILURES).find(([code]) => code === failureCode)?.[1];
  return {
    code: failureCode === "insufficient_funds" ? "card_declined" : failureCode,
    declineCode: known?.declineCode ?? "generic_decline",
    message: known?.message ?? "The payment failed.",
  };
};
