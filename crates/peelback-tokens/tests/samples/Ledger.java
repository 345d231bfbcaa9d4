package org.example.ledger;

import java.math.BigDecimal;
import java.util.concurrent.ConcurrentHashMap;

/** Accounts and what moves between them. */
public final class Ledger implements AutoCloseable {
    private static final int DEFAULT_CONCURRENCY_LEVEL = 16;
    private final ConcurrentHashMap<AccountIdentifier, BigDecimal> balancesByAccount = new ConcurrentHashMap<>();

    @Override
    public void close() throws InsufficientFundsException {
        balancesByAccount.forEach((account, balance) -> {
            if (balance.compareTo(BigDecimal.ZERO) < 0) {
                throw new IllegalStateException("Overdrawn: " + account + " by " + balance.negate());
            }
        });
    }
}
