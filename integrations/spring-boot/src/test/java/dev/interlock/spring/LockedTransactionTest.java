// SPDX-License-Identifier: Apache-2.0
package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spring.boot.InterlockAutoConfiguration;
import dev.interlock.spring.boot.LockedAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The lock stands outside the transaction, over a real database. */
class LockedTransactionTest {
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class, LockedAutoConfiguration.class))
            .withUserConfiguration(Database.class)
            .withPropertyValues(
                    "interlock.strategy=set-nx-px",
                    "interlock.command-timeout=30s",
                    "interlock.endpoints=" + TestRedis.SERVER.uri());

    @Test
    void theTransactionIsCommittedBeforeTheLockIsReleased() {
        application.withUserConfiguration(Transactions.class).run(context -> {
            Invoices invoices = context.getBean(Invoices.class);
            String id = TestRedis.name("a");

            List<String> seen = invoices.settle(id);

            assertThat(seen).containsExactly("working: held, 0 rows for others", "committed: held, 1 rows for others");
            assertThat(TestRedis.isHeld("invoice:" + id)).isFalse();
        });
    }

    @Test
    void anOrderThatWouldReleaseTheLockBeforeTheCommitEndsTheStart() {
        application.withUserConfiguration(TransactionsOutside.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                    .isInstanceOf(InvalidLockedMethodException.class)
                    .hasMessageContaining("released before the commit");
        });
        application
                .withUserConfiguration(TransactionsOutside.class)
                .withPropertyValues("interlock.locked.order=-1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(Invoices.class).settle(TestRedis.name("a")))
                            .element(1)
                            .isEqualTo("committed: held, 1 rows for others");
                });
    }

    static class Invoices {
        private final JdbcClient ours;
        private final JdbcClient others;

        Invoices(JdbcClient ours, JdbcClient others) {
            this.ours = ours;
            this.others = others;
        }

        @Locked("invoice:#{#id}")
        @Transactional
        public List<String> settle(String id) {
            List<String> seen = new ArrayList<>();
            ours.sql("insert into invoice values (?)").param(id).update();
            seen.add("working: " + state(id));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    seen.add("committed: " + state(id));
                }
            });
            return seen;
        }

        /** Returns the state that another connection sees. */
        private String state(String id) {
            return (TestRedis.isHeld("invoice:" + id) ? "held, " : "free, ")
                    + others.sql("select count(*) from invoice where id = ?")
                            .param(id)
                            .query(Long.class)
                            .single()
                    + " rows for others";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Database {
        private final DriverManagerDataSource dataSource =
                new DriverManagerDataSource("jdbc:h2:mem:" + TestRedis.name("db") + ";DB_CLOSE_DELAY=-1");

        @Bean
        JdbcTransactionManager transactionManager() {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Invoices invoices() {
            JdbcClient.create(dataSource)
                    .sql("create table invoice (id varchar(80))")
                    .update();
            // In its afterCommit a transaction still has its connection bound; another data source has one of its own.
            DriverManagerDataSource other = new DriverManagerDataSource(dataSource.getUrl());
            return new Invoices(JdbcClient.create(dataSource), JdbcClient.create(other));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Transactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true, order = 0)
    static class TransactionsOutside {}
}
