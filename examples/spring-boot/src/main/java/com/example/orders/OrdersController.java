// SPDX-License-Identifier: Apache-2.0
package com.example.orders;

import dev.interlock.spring.LockTakenException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Orders by HTTP. */
@RestController
class OrdersController {
    private final Orders orders;
    private final Warehouse warehouse;

    OrdersController(Orders orders, Warehouse warehouse) {
        this.orders = orders;
        this.warehouse = warehouse;
    }

    @GetMapping("/warehouse")
    String warehouse() {
        return warehouse.isOurs() ? "ours" : "another instance's";
    }

    @PostMapping("/orders/{id}/pack")
    String pack(@PathVariable String id) {
        return orders.pack(id, null);
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.CONFLICT)
    String taken(LockTakenException e) {
        return e.getMessage();
    }
}
